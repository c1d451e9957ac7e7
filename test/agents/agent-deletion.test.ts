/** An agent with tens of thousands of rows: invisible immediately, and purged from the tables later. */
import { expect, test } from '@jest/globals';
import { deliveryStatuses, listDeliveries } from '../../server/webhooks/deliveries/deliveries.js';
import type { Api } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { backdateDeletions } from '../helpers/database/purging.js';
import { generateHistory, generateMemory, remainingRows } from '../helpers/database/large-agent.js';
import { useService } from '../helpers/service/service.js';

const service = useService();
const rows = 12_000;

/** The totals of all lists of an agent. */
async function totals(api: Api, agent_id: string): Promise<number[]> {
  const path = { agent_id };
  const logs = await api.expect('getLogs', 200, { path });
  const deployments = await api.expect('listDeployments', 200, { path });
  const body = { query: 'parcel' };
  const memory = await api.expect('searchMemory', 200, { path, body });
  return [logs, deployments, memory].map(({ pagination }) => pagination.total);
}

test('a deleted agent is invisible, its name is free, and another instance purges its rows', async () => {
  const { database } = service;
  const { accountId, api, newAgent, newKey } = await service.tenant();
  const { id, name } = await newAgent({ name: 'large' });
  await generateHistory(database, { accountId, agentId: id }, rows);
  await generateMemory(database, id, rows);
  const { key } = await newKey({ agentId: id });
  await service.api(key).expect('getAgent', 200, { path: { agent_id: id } });

  await api.expect('deleteAgent', 200, { path: { agent_id: id } });

  const left = await remainingRows(database, id);
  expect(Object.values(left).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(5 * rows);
  for (const agent_id of [id, name]) {
    const path = { agent_id };
    await api.expect('getAgent', 404, { path });
    await api.expect('getLogs', 404, { path });
    await api.expect('getMetrics', 404, { path, query: { metric: 'throughput' } });
    await api.expect('listDeployments', 404, { path });
    await api.expect('searchMemory', 404, { path, body: { query: 'parcel' } });
    await api.expect('clearMemory', 404, { path });
    await api.expect('invokeAgent', 404, { path, body: { message: 'hello' } });
  }
  await service.api(key).expect('getAgent', 401, { path: { agent_id: id } });
  expect((await api.expect('listWebhooks', 200)).pagination.total).toBe(0);
  expect((await api.expect('listAgents', 200)).pagination.total).toBe(0);
  const all = { event: undefined, webhook: undefined, statuses: deliveryStatuses, limit: 10 };
  expect(await listDeliveries(database, { accountId }, all)).toEqual([]);

  const reborn = await newAgent({ name });
  expect(await totals(api, name)).toEqual([0, 0, 0]);
  await api.expect('invokeAgent', 200, { path: { agent_id: name }, body: { message: 'parcel' } });
  const invoked = await totals(api, name);

  await backdateDeletions(database);
  await service.another();
  const none = Object.fromEntries(Object.keys(left).map((table) => [table, 0]));
  await eventually(async () => {
    expect(await remainingRows(database, id)).toEqual(none);
  });
  expect(await totals(api, reborn.id)).toEqual(invoked);
});

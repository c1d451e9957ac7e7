/** Several instances on one database: a change on one of them applies to all. */
import { describe, expect, test } from '@jest/globals';
import { administer } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { useProxy } from '../helpers/servers/database-proxy.js';
import { newId } from '../../server/lib/data/typeid.js';
import {
  type TestInstance,
  useInstance,
  useService,
  useTenant,
} from '../helpers/service/service.js';

const service = useService();
const second = useInstance(service);
const tenant = useTenant(service);
const proxy = useProxy(service);

/** Uses a key on the instance, which caches it, revokes it on another one, and waits until it is rejected. */
async function expectRevocation({ api }: TestInstance): Promise<void> {
  const { id, key } = await tenant.newKey();
  await api(key).expect('listAgents', 200);
  await tenant.api.expect('revokeApiKey', 200, { path: { key_id: id } });
  await eventually(() => api(key).expect('listAgents', 401));
}

describe('a revocation', () => {
  test('applies to every instance', async () => {
    await expectRevocation(second);
  });

  test('is received again after the listening connections were lost', async () => {
    const { rowCount: before } = await service.database.pool.query(listeners);
    await loseListeners();
    await eventually(async () => {
      const { rowCount } = await service.database.pool.query(listeners);
      expect(rowCount).toBe(before);
    });
    await expectRevocation(second);
  });

  test('applies even if no announcement arrives', async () => {
    const deaf = await service.another({ DIRECT_DATABASE_URL: proxy.url });
    await proxy.cut();
    await expectRevocation(deaf);
  });
});

test('a missing agent is found as soon as it exists, on every instance', async () => {
  const instances = [tenant.api, second.api(tenant.key)];
  for (const [index, api] of instances.entries()) {
    const path = { agent_id: `late-${index}` };
    const body = { message: 'Hello' };
    await Promise.all([
      ...instances.map((each) => each.expect('getAgent', 404, { path })),
      ...instances.map((each) => each.expect('invokeAgent', 404, { path, body })),
    ]);
    const { id } = await tenant.newAgent({ name: path.agent_id });
    await api.expect('invokeAgent', 200, { path, body });
    await api.expect('getAgent', 200, { path });
    for (const each of instances) await each.expect('getAgent', 200, { path: { agent_id: id } });
  }
});

test('an id is found by instances that did not find another id of the same account', async () => {
  const instances = [tenant.api, second.api(tenant.key)];
  for (const each of instances) {
    const path = { agent_id: newId('agent') };
    for (let count = 0; count < 2; count += 1) await each.expect('getAgent', 404, { path });
  }
  const { id } = await tenant.newAgent({ name: 'known-by-its-id' });
  for (const each of instances) await each.expect('getAgent', 200, { path: { agent_id: id } });
});

test('a deleted agent is not found by its id, and its name is free', async () => {
  const instances = [tenant.api, second.api(tenant.key)];
  const { id } = await tenant.newAgent({ name: 'phoenix' });
  for (const each of instances) await each.expect('getAgent', 200, { path: { agent_id: id } });
  await tenant.api.expect('deleteAgent', 200, { path: { agent_id: id } });
  for (const each of instances) {
    for (const reference of [id, 'phoenix', id, 'phoenix']) {
      await eventually(() => each.expect('getAgent', 404, { path: { agent_id: reference } }));
    }
  }
  const { id: next } = await tenant.newAgent({ name: 'phoenix' });
  for (const each of instances) {
    for (const reference of ['phoenix', next]) {
      await each.expect('getAgent', 200, { path: { agent_id: reference } });
    }
    await each.expect('getAgent', 404, { path: { agent_id: id } });
  }
});

const listeners = `
  SELECT pid FROM pg_stat_activity
   WHERE datname = current_database() AND application_name LIKE '%listener%'`;

async function loseListeners(): Promise<void> {
  const { rows } = await service.database.pool.query<{ pid: number }>(listeners);
  expect(rows.length).toBeGreaterThanOrEqual(2);
  const pids = rows.map(({ pid }) => pid).join(', ');
  await administer(`SELECT pg_terminate_backend(pid) FROM unnest(ARRAY[${pids}]) AS pid`);
}

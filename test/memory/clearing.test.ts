/** Clear memory, over real HTTP and PostgreSQL. */
import { describe, expect, test } from '@jest/globals';
import { agentWithMemory } from './filled-memory.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);

const agentWith = (...messages: string[]) => agentWithMemory(service.database, tenant, messages);

function search(agent_id: string, body: Record<string, unknown>) {
  return tenant.api.expect('searchMemory', 200, { path: { agent_id }, body });
}

describe('Clear memory', () => {
  test('clears all entries of the agent and none of others, and returns their number', async () => {
    const id = await agentWith('parcel one', 'parcel two', 'parcel three');
    const other = await agentWith('parcel four');
    const { data } = await tenant.api.expect('clearMemory', 200, { path: { agent_id: id } });
    expect(data).toEqual({ cleared: 3 });
    expect((await search(id, { query: 'parcel' })).data).toEqual([]);
    expect((await search(other, { query: 'parcel' })).data).toHaveLength(1);
  });

  test('a repeat clears 0 entries', async () => {
    const id = await agentWith('parcel');
    const clear = () => tenant.api.expect('clearMemory', 200, { path: { agent_id: id } });
    expect([(await clear()).data.cleared, (await clear()).data.cleared]).toEqual([1, 0]);
  });

  test('two concurrent ones clear each entry once', async () => {
    const id = await agentWith('one', 'two', 'three', 'four');
    const clear = () => tenant.api.expect('clearMemory', 200, { path: { agent_id: id } });
    const cleared = await Promise.all([clear(), clear()]);
    expect(cleared.reduce((sum, { data }) => sum + data.cleared, 0)).toBe(4);
  });

  test('is logged; logs and metrics stay', async () => {
    const { id } = await tenant.newAgent();
    const invoke = () =>
      tenant.api.expect('invokeAgent', 200, { path: { agent_id: id }, body: { message: 'hi' } });
    await invoke();
    const logs = () => tenant.api.expect('getLogs', 200, { path: { agent_id: id } });
    const before = await logs();
    const { headers } = await tenant.api.call('clearMemory', { path: { agent_id: id } });
    const after = await logs();
    expect(after.pagination.total).toBe(before.pagination.total + 1);
    expect(after.data[0]).toMatchObject({
      level: 'info',
      message: 'Memory cleared: 2 entries.',
      metadata: { request_id: headers.get('x-request-id'), cleared: 2 },
    });
  });

  test('many entries are counted exactly', async () => {
    const { id } = await tenant.newAgent();
    await service.database.pool.query(
      `INSERT INTO memory_entries (account_id, agent_id, id, request_id, role, content)
       SELECT $1, $2, 'mem_' || lpad(n::text, 26, '0'), 'req_' || lpad('0', 26, '0'), 'user', 'entry ' || n
         FROM generate_series(1, 10001) AS n`,
      [tenant.accountId, id],
    );
    const { data } = await tenant.api.expect('clearMemory', 200, { path: { agent_id: id } });
    expect(data.cleared).toBe(10_001);
  });
});

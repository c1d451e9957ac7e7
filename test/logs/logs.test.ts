/** Get logs, over real HTTP and PostgreSQL. */
import { describe, expect, test } from '@jest/globals';
import type { LogEntry } from '../../generated/api.js';
import { applyManifests } from '../../server/agents/manifests/manifests.js';
import { newId } from '../../server/lib/data/typeid.js';
import { insertLogEntries } from '../../server/logs/logs.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);

function logsOf(agent_id: string, query: Record<string, string | number> = {}) {
  return tenant.api.expect('getLogs', 200, { path: { agent_id }, query });
}

async function write(
  agentId: string,
  entries: Partial<Parameters<typeof insertLogEntries>[1][0]>[],
) {
  const whole = entries.map((entry) => ({
    id: newId('log'),
    accountId: tenant.accountId,
    agentId,
    at: new Date(),
    level: 'info' as const,
    requestId: newId('req'),
    message: 'Something happened.',
    ...entry,
  }));
  await service.database.transaction((transaction) => insertLogEntries(transaction, whole));
}

const messages = (data: LogEntry[]) => data.map(({ message }) => message);

describe('Get logs', () => {
  test('returns entries of invocations, newest first, each with its request id', async () => {
    const { id } = await tenant.newAgent();
    const requestIds: string[] = [];
    for (const message of ['hello', 'hello again']) {
      const call = { path: { agent_id: id }, body: { message } };
      const { data: answer } = await tenant.api.expect('invokeAgent', 200, call);
      requestIds.push(answer.request_id);
    }
    const { data, pagination } = await logsOf(id);
    expect(pagination).toEqual({ limit: 100, offset: 0, total: 2, has_more: false });
    expect(data.map(({ metadata }) => metadata.request_id)).toEqual(requestIds.toReversed());
    const times = data.map(({ timestamp }) => timestamp);
    expect(times).toEqual([...times].sort().reverse());
  });

  test('pages through entries of the same millisecond without losing or repeating one', async () => {
    const { id } = await tenant.newAgent();
    const at = new Date();
    await write(
      id,
      Array.from({ length: 25 }, (_, n) => ({ at, message: `entry ${n}` })),
    );
    const pages = await Promise.all(
      [0, 10, 20, 30].map((offset) => logsOf(id, { limit: 10, offset })),
    );
    expect(pages.flatMap(({ data }) => messages(data))).toEqual(
      Array.from({ length: 25 }, (_, n) => `entry ${24 - n}`),
    );
    expect(pages.map(({ pagination }) => pagination.has_more)).toEqual([true, true, false, false]);
    expect(pages.map(({ pagination }) => pagination.total)).toEqual([25, 25, 25, 25]);
  });

  test('the range includes its start and excludes its end, to the millisecond', async () => {
    const { id } = await tenant.newAgent();
    const times = [59_999, 60_000, 119_999, 120_000].map((ms) => new Date(ms));
    await write(
      id,
      times.map((at) => ({ at, message: at.toISOString() })),
    );
    const { data, pagination } = await logsOf(id, {
      start_time: '1970-01-01T00:01:00Z',
      end_time: '1970-01-01T00:02:00Z',
    });
    expect(messages(data)).toEqual(['1970-01-01T00:01:59.999Z', '1970-01-01T00:01:00.000Z']);
    expect(pagination.total).toBe(2);
  });

  test('bounds are truncated to milliseconds', async () => {
    const { id } = await tenant.newAgent();
    await write(id, [{ at: new Date('2026-05-05T10:00:00.123Z'), message: 'here' }]);
    const { data } = await logsOf(id, { start_time: '2026-05-05T10:00:00.123999Z' });
    expect(messages(data)).toEqual(['here']);
  });

  test('keeps metadata, truncates long messages, and replaces characters that cannot be stored', async () => {
    const { id } = await tenant.newAgent();
    await write(id, [
      { message: 'x'.repeat(20_000), metadata: { attempt: 2, error: 'NUL \0 and half \ud800' } },
    ]);
    const { data } = await logsOf(id);
    expect(data[0]?.message).toHaveLength(10_000);
    expect(data[0]?.metadata).toMatchObject({
      request_id: expect.stringMatching(/^req_/),
      attempt: 2,
      error: 'NUL \uFFFD and half \uFFFD',
    });
  });

  test('excludes entries of other agents, even by request id', async () => {
    const { id } = await tenant.newAgent();
    const { id: other } = await tenant.newAgent();
    const requestId = newId('req');
    await write(other, [{ requestId }]);
    const { data, pagination } = await logsOf(id, { request_id: requestId });
    expect([data, pagination.total]).toEqual([[], 0]);
  });

  test('an agent without entries has an empty log for any range', async () => {
    const { id } = await tenant.newAgent();
    for (const query of [{}, { start_time: '9999-12-31T23:59:59.999Z' }, { offset: 1_000_000 }]) {
      const { data, pagination } = await logsOf(id, query);
      expect([data, pagination.total, pagination.has_more]).toEqual([[], 0, false]);
    }
  });

  test.each([
    ['start_time', { start_time: '2026-01-02T00:00:00Z', end_time: '2026-01-01T00:00:00Z' }],
    ['start_time', { start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-01T00:00:00Z' }],
    ['start_time', { start_time: 'yesterday' }],
    ['start_time', { start_time: '2026-12-31T23:59:60Z' }],
    ['end_time', { end_time: '2026-02-30T00:00:00Z' }],
    ['level', { level: 'fatal' }],
    ['request_id', { request_id: 'req_1' }],
    ['limit', { limit: 1001 }],
    ['offset', { offset: -1 }],
    ['sort', { sort: 'timestamp' }],
  ])('400 naming %s for %j', async (field, query) => {
    const { id } = await tenant.newAgent();
    const { error } = await tenant.api.expect('getLogs', 400, { path: { agent_id: id }, query });
    expect(error.details?.map((problem) => problem.field)).toEqual([field]);
  });
});

describe('Configuration changes', () => {
  test('are logged with the changed fields and the request id', async () => {
    const { id } = await tenant.newAgent({
      temperature: 1,
      endpoint: { url: 'https://a.example' },
    });
    const { headers } = await tenant.api.call('updateAgent', {
      path: { agent_id: id },
      body: { model: 'http/mine', temperature: 0.5 },
    });
    const { data, pagination } = await logsOf(id);
    expect(pagination.total).toBe(1);
    expect(data).toMatchObject([
      {
        level: 'info',
        message:
          'Configuration changed: model from builtin/echo to http/mine, temperature from 1 to 0.5.',
        metadata: {
          request_id: headers.get('x-request-id'),
          changes: { temperature: { from: 1, to: 0.5 } },
        },
      },
    ]);
  });

  test('name a temperature that was not set', async () => {
    const { id } = await tenant.newAgent();
    await tenant.api.expect('updateAgent', 200, {
      path: { agent_id: id },
      body: { temperature: 0.3 },
    });
    const { data } = await logsOf(id);
    expect(data).toMatchObject([
      {
        message: 'Configuration changed: temperature from unset to 0.3.',
        metadata: { changes: { temperature: { from: null, to: 0.3 } } },
      },
    ]);
  });

  test('are also logged when the operator applies a manifest, without confidential values', async () => {
    const { id, name } = await tenant.newAgent({ instructions: 'Old secret of the house.' });
    const manifest = {
      name,
      model: 'builtin/echo',
      instructions: 'New secret of the house.',
      timeout: '30s',
      history: 20,
      summarize: false,
      recall: false,
      remember: true,
    };
    await applyManifests(service.database, tenant.accountId, [manifest]);
    const { data } = await logsOf(id);
    expect(messages(data)).toEqual([
      'Configuration changed: timeout_ms from 60000 to 30000, instructions.',
    ]);
    expect(JSON.stringify(data)).not.toContain('secret');
  });

  test('without an effect write no entry and leave the agent unchanged', async () => {
    const { id } = await tenant.newAgent({ temperature: 0.5 });
    const before = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
    await tenant.api.expect('updateAgent', 200, {
      path: { agent_id: id },
      body: { temperature: 0.5 },
    });
    const after = await tenant.api.expect('getAgent', 200, { path: { agent_id: id } });
    expect(after).toEqual(before);
    expect((await logsOf(id)).pagination.total).toBe(0);
  });
});

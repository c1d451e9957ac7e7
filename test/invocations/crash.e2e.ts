/** The service is killed with SIGKILL in the middle of invocations: nothing is lost, and nothing happens twice. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { apiClient, type Call } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { waitForLockWaiter } from '../helpers/database/lock-wait.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';
import { environmentFor } from '../helpers/service/service.js';
import { hang } from '../helpers/model-provider/failures.js';
import { answer, chatCompletions } from '../helpers/model-provider/wire-formats.js';
import {
  effectsOn,
  message,
  messageIn,
  recordsOf,
  useServiceWithModel,
} from './service-with-model.js';

const fixture = useServiceWithModel({ ASYNC_CONCURRENCY: '0' });
const processes: ServiceProcess[] = [];

afterEach(async () => {
  await Promise.all(processes.splice(0).map(kill));
});

async function start(): Promise<ServiceProcess> {
  const started = await startServiceProcess({
    environment: {
      ...environmentFor(fixture.service),
      LOCAL_BASE_URL: `${fixture.provider.url}/v1`,
      ALLOW_PRIVATE_TARGETS: 'true',
      WORKER: 'off',
    },
  });
  processes.push(started);
  return started;
}

const kill = (service: ServiceProcess) => service.end('SIGKILL');

const apiOf = ({ url }: ServiceProcess) => apiClient(url, fixture.tenant.key);

/** Ends the leases of the dead process. Including the time until the next poll, they may last at most 15 seconds. */
async function expireLeases(): Promise<void> {
  const { pool } = fixture.service.database;
  const { rows } = await pool.query<{ leases: string; most: boolean }>(`
    SELECT count(*) AS leases, bool_and(until <= now() + interval '13 seconds') AS most
      FROM (SELECT available_at AS until FROM invocations WHERE lease_owner IS NOT NULL
            UNION ALL SELECT lease_until FROM session_leases) AS held`);
  expect(rows).toEqual([{ leases: '2', most: true }]);
  await pool.query('UPDATE invocations SET available_at = now() WHERE lease_owner IS NOT NULL');
  await pool.query('UPDATE session_leases SET lease_until = now()');
}

describe('an asynchronous invocation', () => {
  test('whose worker is killed is taken over by another one', async () => {
    fixture.provider.behave(hang, answer(chatCompletions, ['After all']));
    const doomed = await start();
    const { id } = await fixture.newAgent();
    const key = randomUUID();
    const call: Call = {
      ...messageIn('chat', id, 'Hi'),
      headers: { prefer: 'respond-async', 'idempotency-key': key },
    };
    const { data } = await apiOf(doomed).expect('invokeAgent', 202, call);
    await fixture.provider.asked(1);
    const survivor = await fixture.service.another({ ASYNC_CONCURRENCY: '4' });
    await kill(doomed);
    await expireLeases();
    await fixture.provider.asked(2, 60_000);
    const traces = await eventually(async () => {
      const found = await recordsOf(fixture.service, data.request_id);
      expect(found.invocation?.status).toBe('succeeded');
      return found;
    });
    expect(traces.invocation?.attempts).toBe(2);
    expect(traces.memory.map(({ content }) => content)).toEqual(['Hi', 'After all']);
    expect(traces.logs.filter(({ message: text }) => text.includes('answered'))).toHaveLength(1);
    const repeat = await fixture.tenant.api.expect('invokeAgent', 200, call);
    expect(repeat.data).toMatchObject({ response: 'After all', request_id: data.request_id });
    await survivor.stop();
  });

  test('that had not started is run by the next instance that starts', async () => {
    fixture.provider.behave(answer(chatCompletions, ['Good morning']));
    const { id } = await fixture.newAgent();
    const headers = { prefer: 'respond-async' };
    const call = message(id, 'Hi', { headers });
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    expect((await recordsOf(fixture.service, data.request_id)).invocation?.status).toBe('queued');
    await fixture.service.another({ ASYNC_CONCURRENCY: '4' });
    await eventually(async () => {
      const { invocation } = await recordsOf(fixture.service, data.request_id);
      expect(invocation?.status).toBe('succeeded');
    });
  });
});

describe("a kill between the model's response and the commit", () => {
  /** Blocks the commit of every invocation until it is released. */
  async function blockRecords() {
    const client = new pg.Client({ connectionString: fixture.service.databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('BEGIN; LOCK TABLE invocations IN EXCLUSIVE MODE');
    return {
      untilBlocked: () => waitForLockWaiter(fixture.service.database.pool, 'json_to_recordset'),
      endSession: (pid: number | undefined) =>
        client.query('SELECT pg_terminate_backend($1)', [pid]),
      release: async () => {
        await client.query('COMMIT');
        await client.end();
      },
    };
  }

  test('has one effect if the database commits without the process', async () => {
    fixture.provider.behave(answer(chatCompletions, ['Once']));
    const doomed = await start();
    const { id } = await fixture.newAgent();
    const records = await blockRecords();
    const asking = apiOf(doomed).call('invokeAgent', message(id, 'Hi'));
    await records.untilBlocked();
    await Promise.all([expect(asking).rejects.toThrow(), kill(doomed)]);
    await records.release();
    await eventually(async () => {
      expect(await effectsOn(fixture.service, id)).toEqual({ invocations: 1, memories: 2 });
    });
  });

  test('has one effect if the transaction is rolled back and the request is repeated', async () => {
    fixture.provider.behave(answer(chatCompletions, ['Twice asked']));
    const doomed = await start();
    const { id } = await fixture.newAgent();
    const call = message(id, 'Hi', { headers: { 'idempotency-key': randomUUID() } });
    const records = await blockRecords();
    const asking = apiOf(doomed).call('invokeAgent', call);
    const session = await records.untilBlocked();
    await Promise.all([expect(asking).rejects.toThrow(), kill(doomed)]);
    await records.endSession(session);
    await records.release();
    expect(await effectsOn(fixture.service, id)).toEqual({ invocations: 0, memories: 0 });
    // The key is held by the dead process until its lease expires.
    await fixture.tenant.api.expect('invokeAgent', 409, call);
    await fixture.service.database.prisma.idempotencyRecord.updateMany({
      where: { state: 'running' },
      data: { leaseUntil: new Date(Date.now() - 1) },
    });
    const repeat = await fixture.tenant.api.call('invokeAgent', call);
    expect(repeat.status).toBe(200);
    expect(repeat.headers.has('idempotency-replayed')).toBe(false);
    expect(await effectsOn(fixture.service, id)).toEqual({ invocations: 1, memories: 2 });
  });
});

describe('a budget', () => {
  test('counts every response, and misses at most the call during which the process was killed', async () => {
    fixture.provider.behave(answer(chatCompletions, ['Yes']), hang);
    const doomed = await start();
    const { id } = await fixture.newAgent({ budget: { tokens: 12, window: '31d' } });
    const first = await apiOf(doomed).expect('invokeAgent', 200, message(id, 'One'));
    const cut = apiOf(doomed)
      .call('invokeAgent', message(id, 'Two'))
      .catch(() => undefined);
    await fixture.provider.asked(2);
    await kill(doomed);
    await cut;
    const { budgetWindow } = fixture.service.database.prisma;
    const used = async () =>
      Number((await budgetWindow.findFirst({ where: { ownerId: id } }))?.tokens);
    expect(await used()).toBe(first.data.tokens_used);
    fixture.provider.behave(answer(chatCompletions, ['Yes']));
    await fixture.tenant.api.expect('invokeAgent', 200, message(id, 'Three'));
    expect(await used()).toBe(2 * first.data.tokens_used);
    await fixture.tenant.api.expect('invokeAgent', 429, message(id, 'Four'));
  });
});

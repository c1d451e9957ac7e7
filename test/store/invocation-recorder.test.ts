/** Which records share a statement, and which nobody else waits for. */
import { expect, test } from '@jest/globals';
import type { Queryable } from '../../server/store/connection.js';
import {
  createInvocationRecorder,
  type InvocationRecord,
} from '../../server/store/record-invocation.js';
import { eventually } from '../helpers/eventually.js';

const record = (accountId: string, response = 'Yes.'): InvocationRecord => ({
  id: 'req_1',
  agentId: `agent of ${accountId}`,
  accountId,
  deploymentId: null,
  model: 'builtin/echo',
  status: 'succeeded',
  userId: null,
  sessionId: null,
  context: null,
  remember: true,
  tokensUsed: 1,
  durationMs: 1,
  errorCode: null,
  createdBy: null,
  createdAt: new Date(0),
  finishedAt: new Date(0),
  logs: [],
  memory: [{ id: 'mem_1', role: 'agent', content: response }],
  event: { type: 'agent.completed', create: () => ({ id: 'evt_1', body: '{}' }) },
  sessionOwner: null,
  worker: null,
  idempotency: null,
});

interface SentRow {
  accountId: string;
  eventId?: string;
}

/** A database that shows whose records each statement has, and ends it when the test says so. */
function watched(deliveriesOf: (accountId: string) => number) {
  const statements: { rows: SentRow[]; end: () => void }[] = [];
  const run = async (_statement: unknown, [json = '']: readonly unknown[] = []) => {
    const rows = JSON.parse(String(json)) as SentRow[];
    await new Promise<void>((end) => statements.push({ rows, end }));
    return rows.map(({ accountId, eventId }) => ({
      agent: true,
      key: true,
      session: true,
      worker: true,
      event: eventId !== undefined || deliveriesOf(accountId) === 0,
      ...(eventId === undefined ? {} : { deliveries: deliveriesOf(accountId) }),
    }));
  };
  const recorder = createInvocationRecorder({ run } as unknown as Queryable);
  /** Ends the statement with that number when it has begun. */
  const end = async (number: number) => {
    await eventually(() => {
      expect(statements.length).toBeGreaterThan(number);
    });
    statements[number]?.end();
  };
  const accounts = () => statements.map(({ rows }) => rows.map(({ accountId }) => accountId));
  const events = () => statements.map(({ rows }) => rows.map(({ eventId }) => eventId));
  return { recorder, end, accounts, events };
}

test('an event is sent where webhooks wait for it, as long as they do', async () => {
  let deliveries = 1;
  const { recorder, end, events } = watched(() => deliveries);
  const first = recorder.record(record('a'));
  await end(0);
  await end(1);
  expect(await first).toBe('recorded');
  const second = recorder.record(record('a'));
  await end(2);
  expect(await second).toBe('recorded');
  deliveries = 0;
  const third = recorder.record(record('a'));
  await end(3);
  await third;
  const fourth = recorder.record(record('a'));
  await end(4);
  await fourth;
  expect(events()).toEqual([[undefined], ['evt_1'], ['evt_1'], ['evt_1'], [undefined]]);
});

test('nobody waits for the rows of an account whose events go to many webhooks', async () => {
  const { recorder, end, accounts } = watched((id) => (id === 'many' ? 1_000 : 0));
  const first = recorder.record(record('many'));
  await end(0);
  await end(1);
  expect(await first).toBe('recorded');
  for (let n = 0; n < 5; n += 1) void recorder.record(record('many'));
  void recorder.record(record('few'));
  await eventually(() => {
    expect(accounts().slice(2).sort()).toEqual([['few'], ['many']]);
  });
});

test('an account with a long answer waits for its own only', async () => {
  const { recorder, accounts } = watched(() => 0);
  const long = 'x'.repeat(100_000);
  for (const id of ['a', 'a', 'b']) void recorder.record(record(id, long));
  void recorder.record(record('c'));
  await eventually(() => {
    expect(accounts().sort()).toEqual([['a', 'a'], ['b'], ['c']]);
  });
});

/** Which records share a statement, and which nobody else waits for. */
import { expect, test } from '@jest/globals';
import type { Queryable } from '../../server/store/connection.js';
import {
  createInvocationRecorder,
  type InvocationRecord,
} from '../../server/store/record-invocation.js';

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
  event: { id: 'evt_1', type: 'agent.completed', body: '{}' },
  sessionOwner: null,
  worker: null,
  idempotency: null,
});

/** A database that shows whose records each statement has, and ends it when the test says so. */
function watched(deliveriesOf: (accountId: string) => number) {
  const statements: { accounts: string[]; end: () => void }[] = [];
  const run = async (_statement: unknown, [rows = '']: readonly unknown[] = []) => {
    const accounts = (JSON.parse(String(rows)) as InvocationRecord[]).map(
      ({ accountId }) => accountId,
    );
    await new Promise<void>((end) => statements.push({ accounts, end }));
    return accounts.map((accountId) => ({
      agent: true,
      key: true,
      session: true,
      worker: true,
      deliveries: deliveriesOf(accountId),
    }));
  };
  const recorder = createInvocationRecorder({ run } as unknown as Queryable);
  return { recorder, statements, accounts: () => statements.map(({ accounts }) => accounts) };
}

test('nobody waits for the rows of an account whose events go to many webhooks', async () => {
  const { recorder, statements, accounts } = watched((id) => (id === 'many' ? 1_000 : 1));
  const first = recorder.record(record('many'));
  statements[0]?.end();
  expect(await first).toBe('recorded');
  for (let n = 0; n < 5; n += 1) void recorder.record(record('many'));
  void recorder.record(record('few'));
  expect(accounts().slice(1)).toEqual([['many'], ['few']]);
});

test('an account with a long answer waits for its own only', () => {
  const { recorder, accounts } = watched(() => 0);
  const long = 'x'.repeat(100_000);
  for (const id of ['a', 'a', 'b']) void recorder.record(record(id, long));
  void recorder.record(record('c'));
  expect(accounts()).toEqual([['a'], ['b'], ['c']]);
});

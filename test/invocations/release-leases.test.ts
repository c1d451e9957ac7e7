/** The leases of an invocation are released when it is recorded, and it is recorded only if it still holds all of them. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createSecrets } from '../../server/installation/key-ring.js';
import { newId } from '../../server/lib/data/typeid.js';
import { IdempotencyRecords } from '../../server/idempotency/records.js';
import type { InvocationRecord } from '../../server/invocations/record.js';
import { createInvocationRecorder } from '../../server/invocations/recorder.js';
import type { KeySettlement } from '../../server/idempotency/sealed-response.js';
import { createSessionLeases } from '../../server/invocations/sessions/sessions.js';
import { useDatabase } from '../helpers/database/database.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';

const fixture = useDatabase();
const secrets = createSecrets(Buffer.alloc(32, 7));
const response = { status: 200, headers: {}, body: '{}' };

let accountId: string;
let agentId: string;

beforeEach(async () => {
  accountId = await insertAccount(fixture.database);
  agentId = await insertAgent(fixture.database, accountId);
});

type Held = Pick<InvocationRecord, 'sessionOwner' | 'idempotency'>;

const invocation = (held: Held): InvocationRecord => ({
  id: newId('req'),
  agentId,
  accountId,
  deploymentId: null,
  model: 'builtin/echo',
  status: 'succeeded',
  environment: null,
  userId: null,
  sessionId: 'chat',
  context: null,
  remember: true,
  tokensUsed: 1,
  durationMs: 1,
  errorCode: null,
  createdBy: null,
  createdAt: new Date(),
  finishedAt: new Date(),
  logs: [],
  memory: [{ id: newId('mem'), role: 'agent', content: 'Yes.', turn: null }],
  event: { id: newId('evt'), type: 'agent.completed', body: '{}', traceContext: null },
  worker: null,
  hasSteps: false,
  waitsUntil: null,
  ...held,
});

/** Takes a session and a key, and returns the settlement of the key by this owner. */
async function hold(owner: string): Promise<KeySettlement> {
  const { database } = fixture;
  const session = { accountId, agentId, userId: null, sessionId: 'chat', environment: null };
  await createSessionLeases(database).take({ session, owner, exchanges: 0 });
  const records = new IdempotencyRecords({ database, secrets });
  const scope = { accountId, callerId: agentId, method: 'POST', path: '/', key: 'key' };
  const { claim } = await records.begin(scope, 'request', { owner });
  return { ...claim, response };
}

/** The remaining state of the session and the key, and the number of written rows. */
async function left() {
  const { prisma } = fixture.database;
  const [key] = await prisma.idempotencyRecord.findMany({
    orderBy: { expiresAt: 'desc' },
    take: 1,
  });
  return {
    sessions: await prisma.sessionLease.count({ where: { agentId } }),
    key: key?.state,
    invocations: await prisma.invocation.count({ where: { agentId } }),
    memory: await prisma.memoryEntry.count({ where: { agentId } }),
  };
}

const recorder = () => createInvocationRecorder({ connection: fixture.database, secrets });

const record = (held: Held) => recorder().record(invocation(held));

test('the session is released and the key settled in the same transaction', async () => {
  const idempotency = await hold('one');
  expect(await record({ sessionOwner: 'one', idempotency })).toBe('recorded');
  expect(await left()).toEqual({ sessions: 0, key: 'completed', invocations: 1, memory: 1 });
});

test('a key without a response is free again', async () => {
  const idempotency = await hold('one');
  const freed = { ...idempotency, response: null };
  expect(await record({ sessionOwner: 'one', idempotency: freed })).toBe('recorded');
  expect(await left()).toMatchObject({ sessions: 0, invocations: 1 });
  expect(
    await fixture.database.prisma.idempotencyRecord.count({ where: { id: Buffer.from(freed.id) } }),
  ).toBe(0);
});

test('losing the session leaves the key to a second attempt', async () => {
  const idempotency = await hold('one');
  expect(await record({ sessionOwner: 'another', idempotency })).toBe('session_lost');
  expect(await left()).toEqual({ sessions: 1, key: 'running', invocations: 0, memory: 0 });
  expect(await record({ sessionOwner: null, idempotency })).toBe('recorded');
  expect(await left()).toMatchObject({ key: 'completed', invocations: 1 });
});

test('losing the key writes nothing', async () => {
  const idempotency = await hold('one');
  const lost = { ...idempotency, owner: 'another' };
  expect(await record({ sessionOwner: 'one', idempotency: lost })).toBe('key_lost');
  expect(await left()).toMatchObject({ key: 'running', invocations: 0, memory: 0 });
});

describe('after a database crash that lost unflushed writes', () => {
  const crash = async () => {
    await fixture.database.prisma.sessionLease.deleteMany();
    await fixture.database.prisma.idempotencyRecord.deleteMany();
  };

  test('the former owner of a key writes nothing', async () => {
    const idempotency = await hold('one');
    await crash();
    expect(await record({ sessionOwner: null, idempotency })).toBe('key_lost');
    expect(await left()).toEqual({ sessions: 0, key: undefined, invocations: 0, memory: 0 });
  });

  test('the former owner of a session writes nothing', async () => {
    await hold('one');
    await crash();
    expect(await record({ sessionOwner: 'one', idempotency: null })).toBe('session_lost');
    expect(await left()).toMatchObject({ invocations: 0, memory: 0 });
  });

  test('only the repeated request is recorded', async () => {
    const lost = await hold('one');
    await crash();
    const repeated = await hold('two');
    expect(await record({ sessionOwner: 'one', idempotency: lost })).toBe('session_lost');
    expect(await record({ sessionOwner: null, idempotency: lost })).toBe('key_lost');
    expect(await record({ sessionOwner: 'two', idempotency: repeated })).toBe('recorded');
    expect(await left()).toEqual({ sessions: 0, key: 'completed', invocations: 1, memory: 1 });
  });
});

test('an invocation that lost a lease does not affect the others of its batch', async () => {
  const idempotency = await hold('one');
  const { record: recordNext } = recorder();
  const results = await Promise.all([
    recordNext(invocation({ sessionOwner: 'another', idempotency: null })),
    recordNext(invocation({ sessionOwner: 'one', idempotency })),
    recordNext(invocation({ sessionOwner: null, idempotency: null })),
  ]);
  expect(results).toEqual(['session_lost', 'recorded', 'recorded']);
  expect(await left()).toEqual({ sessions: 0, key: 'completed', invocations: 2, memory: 2 });
});

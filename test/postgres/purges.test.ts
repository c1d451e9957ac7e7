/** The rows of a deleted agent are purged in small steps by any instance, and none are added meanwhile. */
import { expect, test } from '@jest/globals';
import { newId } from '../../server/lib/data/typeid.js';
import type { Database } from '../../server/postgres/database.js';
import { removeWebhook } from '../../server/webhooks/webhooks.js';
import { enqueueInvocations } from '../../server/invocations/queue.sql.js';
import { PurgedTable } from '../../generated/prisma/enums.js';
import { purgeRows } from '../../server/postgres/retention/purges.js';
import { useConnections, useDatabase } from '../helpers/database/database.js';
import { type Owner, recordHistory } from '../helpers/database/history.js';
import { generateHistory, generateMemory, remainingRows } from '../helpers/database/large-agent.js';
import { purgeAll } from '../helpers/database/purging.js';
import {
  deleteAgent,
  insertAccount,
  insertAgent,
  insertWebhook,
} from '../helpers/database/rows.js';

const made = useDatabase();
const other = useConnections(made);

const rows = 2_500;
const batch = 1_000;

async function newOwner(): Promise<Owner> {
  const accountId = await insertAccount(made.database);
  return { accountId, agentId: await insertAgent(made.database, accountId) };
}

async function largeAgent(): Promise<Owner> {
  const owner = await newOwner();
  await generateHistory(made.database, owner, rows);
  await generateMemory(made.database, owner.agentId, rows);
  return owner;
}

const remove = (database: Database, { accountId, agentId }: Owner) =>
  database.transaction((transaction) => deleteAgent(transaction, accountId, agentId));

const step = (database: Database) =>
  database.transaction((transaction) =>
    purgeRows(transaction, { batch, deletedBefore: new Date(Date.now() + 60_000) }),
  );

const exchange = () => ({
  at: Date.now(),
  durationMs: 1,
  failed: false,
  logs: [{ at: Date.now(), level: 'info' as const }],
  said: [{ content: 'hello', role: 'user' as const }],
});

function queue(database: Database, owner: Owner, maxQueued = 1_000) {
  const invocation = {
    ...owner,
    id: newId('req'),
    environment: null,
    userId: null,
    sessionId: null,
    message: 'later',
    context: null,
    createdBy: null,
    createdAt: new Date(),
    idempotencyId: null,
    traceContext: null,
    hops: 0,
    hasActed: false,
    schedule: null,
  };
  const { accountId } = owner;
  return database.transaction(async (transaction) => {
    const invocations = [invocation];
    const [result] = await enqueueInvocations(transaction, { accountId, invocations, maxQueued });
    return result;
  });
}

// No release adds words any more.
const tablesOfAgent = Object.values(PurgedTable).filter((table) => table !== 'memory_words');
const none = Object.fromEntries(tablesOfAgent.map((table) => [table, 0]));

test('deleting an agent does not delete its many rows itself', async () => {
  const owner = await largeAgent();
  const before = await remainingRows(made.database, owner.agentId);
  expect(Object.keys(before).sort()).toEqual(tablesOfAgent.sort());
  expect(Math.min(...Object.values(before))).toBeGreaterThan(batch);
  expect(await remove(made.database, owner)).toBe(true);
  expect(await remainingRows(made.database, owner.agentId)).toEqual(before);
  await purgeAll(made.database);
});

test('each step deletes at most a batch, another instance can continue, and in the end nothing is left', async () => {
  const [owner, neighbour] = [await largeAgent(), await largeAgent()];
  const ofNeighbour = await remainingRows(made.database, neighbour.agentId);
  await remove(made.database, owner);
  const total = async () => {
    const left = await remainingRows(made.database, owner.agentId);
    return Object.values(left).reduce((sum, one) => sum + one, 0);
  };
  for (let left = await total(), turn = 0; left > 0; turn += 1) {
    expect(await step(turn % 2 ? made.database : other)).toBe(true);
    const now = await total();
    expect(left - now).toBeLessThanOrEqual(batch);
    left = now;
  }
  await purgeAll(other);
  expect(await made.database.prisma.purge.count()).toBe(0);
  expect(await remainingRows(made.database, neighbour.agentId)).toEqual(ofNeighbour);
});

test('an interrupted step changes nothing, and is repeated', async () => {
  const owner = await largeAgent();
  const before = await remainingRows(made.database, owner.agentId);
  await remove(made.database, owner);
  const interrupted = made.database.transaction(async (transaction) => {
    await purgeRows(transaction, { batch, deletedBefore: new Date(Date.now() + 60_000) });
    throw new Error('a crash in the middle');
  });
  await expect(interrupted).rejects.toThrow('a crash');
  expect(await remainingRows(made.database, owner.agentId)).toEqual(before);
  await purgeAll(made.database);
  expect(await remainingRows(made.database, owner.agentId)).toEqual(none);
});

test('rows recorded while an agent is deleted are either purged with it or not recorded', async () => {
  const owner = await newOwner();
  const recording = Array.from({ length: 40 }, () =>
    recordHistory(made.database, owner, [exchange()]).catch(String),
  );
  const queueing = Array.from({ length: 10 }, () => queue(other, owner));
  await Promise.all([...recording, ...queueing, remove(other, owner)]);
  await purgeAll(other);
  expect(await remainingRows(made.database, owner.agentId)).toEqual(none);
  const late = recordHistory(made.database, owner, [exchange()]);
  await expect(late).rejects.toThrow('agent_gone');
  expect(await remainingRows(made.database, owner.agentId)).toEqual(none);
});

test("queued invocations are deleted with the agent, and no longer count towards the account's cap", async () => {
  const { accountId, agentId } = await newOwner();
  const surviving = await insertAgent(made.database, accountId);
  const add = (agent: string) => queue(made.database, { accountId, agentId: agent }, 2);
  const added = [await add(agentId), await add(agentId), await add(surviving)];
  expect(added).toEqual(['queued', 'queued', 'too_many']);
  await remove(made.database, { accountId, agentId });
  expect(await made.database.prisma.invocation.count({ where: { accountId } })).toBe(0);
  expect(await add(surviving)).toBe('queued');
});

test('deleting a webhook does not delete deliveries itself; those of other webhooks stay', async () => {
  const owner = await newOwner();
  const id = await generateHistory(made.database, owner, rows);
  const kept = await insertWebhook(made.database, owner.accountId);
  const { prisma } = made.database;
  await prisma.delivery.updateMany({
    where: { webhookId: id },
    data: { webhookId: kept },
    limit: 10,
  });
  const target = { accountId: owner.accountId, id, agentId: undefined };
  await made.database.transaction((transaction) => removeWebhook(transaction, target));
  expect(await prisma.delivery.count({ where: { webhookId: id } })).toBe(rows - 10);
  await purgeAll(made.database);
  expect(await prisma.delivery.count({ where: { webhookId: id } })).toBe(0);
  expect(await prisma.delivery.count({ where: { webhookId: kept } })).toBe(10);
});

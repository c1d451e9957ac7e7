/** A large memory is hidden as soon as it is cleared, deleted later, and new messages are remembered meanwhile. */
import { describe, expect, test } from '@jest/globals';
import { searchWords } from '../../server/domain/memory/memory.js';
import { deleteAgent } from '../../server/store/agents/agents.js';
import { findMemory } from '../../server/store/memory/memory.js';
import { clearMemory } from '../../server/store/memory/clearing.js';
import { findUnembedded } from '../../server/store/memory/embeddings.js';
import { readHistories } from '../../server/store/sessions/history.sql.js';
import { useConnections, useDatabase } from '../helpers/database/database.js';
import type { Owner } from '../helpers/database/history.js';
import { generateMemory } from '../helpers/database/large-agent.js';
import { indexAllWords, remember } from '../helpers/database/memory.js';
import { purgeAll } from '../helpers/database/purging.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';

const made = useDatabase();
const other = useConnections(made);

const batch = 100;
const many = 3 * batch;

async function newOwner(): Promise<Owner> {
  const accountId = await insertAccount(made.database);
  return { accountId, agentId: await insertAgent(made.database, accountId) };
}

/** An agent with many messages of ann and as many of bob, all in their own session `chat`. */
async function createLargeMemory(): Promise<Owner> {
  const owner = await newOwner();
  for (const userId of ['ann', 'bob']) {
    await generateMemory(made.database, owner.agentId, many, { userId, sessionId: 'chat' });
  }
  await indexAllWords(made.database);
  return owner;
}

const clear = (owner: Owner, userId: string | null = null, database = made.database) =>
  database.transaction((transaction) => clearMemory(transaction, { ...owner, userId, batch }));

const say = (owner: Owner, userId: string, content = 'a new parcel') =>
  remember(made.database, owner, [{ content, userId, sessionId: 'chat' }]);

/** How much of a user is found by words, by text, and in the session. */
async function seen({ accountId, agentId }: Owner, userId?: string): Promise<number[]> {
  const memory = await findMemory(made.database, accountId, agentId);
  if (!memory) return [];
  const search = async (query: string, sessionId?: string) => {
    const scope = { ...memory, userId, sessionId };
    return (await searchWords(made.database, scope, query, 10)).total;
  };
  const session = { accountId, agentId, userId: userId ?? null, sessionId: 'chat' };
  const request = { session, owner: 'owner', exchanges: 1_000 };
  const history = (await readHistories(made.database, [request])).get('owner') ?? [];
  return [
    await search('parcel'),
    await search('parcel', 'chat'),
    // A word that is not indexed, so that texts are compared.
    await search('a'),
    ...(userId === undefined ? [] : [history.length]),
  ];
}

const rows = ({ agentId }: Owner) =>
  made.database.prisma.memoryEntry.count({ where: { agentId: { startsWith: agentId } } });

/** The candidates for a misspelt word. */
async function vocabulary({ agentId }: Owner): Promise<string[]> {
  const known = await made.database.prisma.memoryWord.findMany({
    where: { agentId: { startsWith: agentId } },
    orderBy: { word: 'asc' },
  });
  return known.map(({ word }) => word);
}

const embeddings = ({ agentId }: Owner) =>
  made.database.prisma.memoryEmbedding.count({ where: { agentId: { startsWith: agentId } } });

describe.each([
  ['all users', null, 2 * many, 0],
  ['one user', 'ann', many, many],
] as const)('a large memory of %s', (_name, userId, number, left) => {
  test('is hidden before it is deleted', async () => {
    const owner = await createLargeMemory();
    const [before] = await seen(owner, 'ann');
    expect(before).toBeGreaterThan(0);
    expect(await clear(owner, userId)).toBe(number);
    expect(await rows(owner)).toBe(2 * many);
    expect(await seen(owner, 'ann')).toEqual([0, 0, 0, 0]);
    expect(Math.min(...(await seen(owner, 'bob'))) > 0).toBe(left > 0);
    const unembedded = await findUnembedded(made.database, { model: 'm', through: '' }, 100_000);
    const { agentId } = owner;
    const ids = await made.database.prisma.memoryEntry.findMany({ where: { agentId } });
    const own = new Set(ids.map(({ id }) => id));
    expect(unembedded.filter(({ id }) => own.has(id))).toHaveLength(left);
    await purgeAll(made.database, batch);
    expect(await rows(owner)).toBe(left);
  });

  test('is cleared once, also by concurrent and repeated calls', async () => {
    const owner = await createLargeMemory();
    const cleared = await Promise.all([clear(owner, userId), clear(owner, userId, other)]);
    expect(cleared.sort()).toEqual([0, number]);
    expect(await clear(owner, userId)).toBe(0);
  });

  test('does not affect later messages', async () => {
    const owner = await createLargeMemory();
    await clear(owner, userId);
    await say(owner, 'ann');
    expect(await seen(owner, 'ann')).toEqual([1, 1, 1, 1]);
    await purgeAll(made.database, batch);
    expect(await seen(owner, 'ann')).toEqual([1, 1, 1, 1]);
    expect(await clear(owner, userId)).toBe(1);
  });

  test('delays no recording, and keeps messages that are recorded after it', async () => {
    const owner = await createLargeMemory();
    const cleared = await made.database.transaction(async (transaction) => {
      const count = await clearMemory(transaction, { ...owner, userId, batch });
      await remember(other, owner, [{ content: 'parcel', userId: 'ann', sessionId: 'chat' }]);
      return count;
    });
    expect(cleared).toBe(number);
    await say(owner, 'ann');
    const entries = await seen(owner, 'ann');
    expect(entries.every((count) => count === 1 || count === 2)).toBe(true);
  });

  test('is deleted by another instance, with its embeddings and unused words', async () => {
    const owner = await createLargeMemory();
    await say(owner, 'ann', 'a walrus');
    await indexAllWords(made.database);
    await made.database.pool.query(
      `INSERT INTO memory_embeddings (account_id, agent_id, entry_id, model, embedding, signature)
       SELECT account_id, agent_id, id, 'm', '{1}', B'1' FROM memory_entries WHERE agent_id = $1`,
      [owner.agentId],
    );
    expect(await vocabulary(owner)).toEqual(expect.arrayContaining(['parcel', 'walrus']));
    await clear(owner, userId);
    await say(owner, 'ann', 'Zucchini');
    expect(await purgeAll(other, batch)).toBeGreaterThan(3);
    await indexAllWords(made.database);
    const known = await vocabulary(owner);
    expect(known).not.toContain('walrus');
    expect(known).toContain('zucchini');
    expect(known.includes('parcel')).toBe(left > 0);
    expect(await embeddings(owner)).toBe(left);
  });

  test('is deleted with its agent, if that is deleted first', async () => {
    const owner = await createLargeMemory();
    await clear(owner, userId);
    await say(owner, 'ann');
    await made.database.transaction((transaction) =>
      deleteAgent(transaction, owner.accountId, owner.agentId),
    );
    await purgeAll(made.database, batch);
    expect(await rows(owner)).toBe(0);
    expect(await vocabulary(owner)).toEqual([]);
    const { agentId } = owner;
    expect(await made.database.prisma.memoryClearance.count({ where: { agentId } })).toBe(0);
  });
});

test('clearing all does not count entries that a user has cleared before', async () => {
  const owner = await createLargeMemory();
  expect(await clear(owner, 'ann')).toBe(many);
  await say(owner, 'ann');
  expect(await clear(owner)).toBe(many + 1);
  expect(await clear(owner)).toBe(0);
  await purgeAll(made.database, batch);
  expect(await rows(owner)).toBe(0);
});

test('a user can clear again before the first clearing is complete', async () => {
  const owner = await createLargeMemory();
  expect(await clear(owner, 'ann')).toBe(many);
  await say(owner, 'ann');
  expect(await clear(owner, 'ann')).toBe(1);
  await say(owner, 'ann');
  await purgeAll(made.database, batch);
  expect(await seen(owner, 'ann')).toEqual([1, 1, 1, 1]);
  expect(await rows(owner)).toBe(many + 1);
});

test('a small memory is deleted at once', async () => {
  const owner = await newOwner();
  await generateMemory(made.database, owner.agentId, batch, { userId: 'ann' });
  await generateMemory(made.database, owner.agentId, batch, { userId: 'bob' });
  expect(await clear(owner, 'ann')).toBe(batch);
  expect(await rows(owner)).toBe(batch);
  expect(await clear(owner)).toBe(batch);
  expect(await rows(owner)).toBe(0);
  expect(await made.database.prisma.purge.count()).toBe(0);
});

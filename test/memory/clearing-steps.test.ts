/** Clearing all of a memory replaces it, and the old one is deleted later. Clearing one user deletes the entries before it ends. */
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { deleteEntriesOfUser, replaceMemory } from '../../server/memory/memory.js';
import { searchText } from '../../server/memory/search.sql.js';
import { findUnembedded } from '../../server/memory/embeddings.sql.js';
import type { Database } from '../../server/postgres/database.js';
import { migrate } from '../../server/postgres/migrations/migrate.js';
import {
  MIGRATIONS_DIRECTORY,
  migrationNames,
} from '../../server/postgres/migrations/migrations.js';
import { readHistories } from '../../server/invocations/sessions/history.sql.js';
import { eventually } from '../helpers/eventually.js';
import {
  createBareDatabase,
  useConnections,
  useDatabase,
  openPool,
} from '../helpers/database/database.js';
import type { Owner } from '../helpers/database/history.js';
import { waitForLockWaiter } from '../helpers/database/lock-wait.js';
import { generateMemory } from '../helpers/database/large-agent.js';
import { remember } from './filled-memory.js';
import { purgeAll } from '../helpers/database/purging.js';
import { deleteAgent, insertAccount, insertAgent } from '../helpers/database/rows.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const made = useDatabase();
const other = useConnections(made);

const batch = 100;
const many = 3 * batch;

/** An agent with many messages of ann and as many of bob, all in their own session `chat`. */
async function createLargeMemory(): Promise<Owner> {
  const accountId = await insertAccount(made.database);
  const owner = { accountId, agentId: await insertAgent(made.database, accountId) };
  for (const userId of ['ann', 'bob']) {
    await generateMemory(made.database, owner.agentId, many, { userId, sessionId: 'chat' });
  }
  await made.database.pool.query(
    `INSERT INTO memory_embeddings (account_id, agent_id, entry_id, model, embedding, signature)
     SELECT account_id, agent_id, id, 'm', '{1}', B'1' FROM memory_entries WHERE agent_id = $1`,
    [owner.agentId],
  );
  return owner;
}

const clearAll = (owner: Owner, database: Database = made.database) =>
  database.transaction((transaction) => replaceMemory(transaction, owner));

const clearAnn = (owner: Owner, database: Database = made.database) =>
  deleteEntriesOfUser(database, { ...owner, userId: 'ann', batch });

const say = (owner: Owner, userId: string, database = made.database) =>
  remember(database, owner, [{ content: 'a new parcel', userId, sessionId: 'chat' }]);

/** How much of a user is found by words, by text, and in the session. */
async function seen({ accountId, agentId }: Owner, userId: string): Promise<number[]> {
  const agent = await made.database.prisma.agent.findUniqueOrThrow({ where: { id: agentId } });
  const memory = { accountId, memoryId: agent.memoryId ?? agentId };
  const search = async (query: string, sessionId?: string) => {
    const scope = { ...memory, userId, sessionId, environment: undefined };
    return (await searchText(made.database, scope, query, 10)).total;
  };
  const session = { accountId, agentId, userId, sessionId: 'chat', environment: null };
  const request = { session, owner: 'owner', exchanges: 1_000 };
  const history = (await readHistories(made.database, [request])).get('owner') ?? [];
  return [
    await search('parcel'),
    await search('parcel', 'chat'),
    // A word that is not indexed, so that texts are compared.
    await search('a'),
    history.length,
  ];
}

const rows = ({ agentId }: Owner) =>
  made.database.prisma.memoryEntry.count({ where: { agentId: { startsWith: agentId } } });

const embeddings = ({ agentId }: Owner) =>
  made.database.prisma.memoryEmbedding.count({ where: { agentId: { startsWith: agentId } } });

describe.each([
  ['all users', clearAll, 2 * many, 0],
  ['one user', clearAnn, many, many],
] as const)('a memory of %s', (_name, clear, number, left) => {
  test('is not seen or embedded any more', async () => {
    const owner = await createLargeMemory();
    expect(Math.min(...(await seen(owner, 'ann')))).toBeGreaterThan(0);
    expect(await clear(owner)).toBe(number);
    expect(await seen(owner, 'ann')).toEqual([0, 0, 0, 0]);
    expect(Math.min(...(await seen(owner, 'bob'))) > 0).toBe(left > 0);
    const unembedded = await findUnembedded(made.database, { model: 'n', through: '' }, 100_000);
    const own = unembedded.filter(({ memoryId }) => memoryId === owner.agentId);
    expect(own).toHaveLength(left);
  });

  test('is cleared once, also by concurrent and repeated calls', async () => {
    const owner = await createLargeMemory();
    const cleared = await Promise.all([clear(owner), clear(owner, other)]);
    expect(cleared.reduce((sum: number, count) => sum + (count ?? 0), 0)).toBe(number);
    expect(await clear(owner)).toBe(0);
  });

  test('does not include later messages', async () => {
    const owner = await createLargeMemory();
    await clear(owner);
    await say(owner, 'ann');
    await purgeAll(made.database, batch);
    expect(await seen(owner, 'ann')).toEqual([1, 1, 1, 1]);
    expect(await clear(owner)).toBe(1);
  });

  test('is deleted with its embeddings', async () => {
    const owner = await createLargeMemory();
    await clear(owner);
    await purgeAll(other, batch);
    expect(await rows(owner)).toBe(left);
    expect(await embeddings(owner)).toBe(left);
  });

  test('is deleted with its agent, if that is deleted first', async () => {
    const owner = await createLargeMemory();
    await clear(owner);
    await say(owner, 'ann');
    await made.database.transaction((transaction) =>
      deleteAgent(transaction, owner.accountId, owner.agentId),
    );
    await purgeAll(made.database, batch);
    expect(await rows(owner)).toBe(0);
    expect(await embeddings(owner)).toBe(0);
  });
});

test('clearing all delays no recording', async () => {
  const owner = await createLargeMemory();
  await made.database.transaction(async (transaction) => {
    await replaceMemory(transaction, owner);
    await say(owner, 'ann', other);
  });
  await say(owner, 'ann');
  const entries = await seen(owner, 'ann');
  expect(entries.every((count) => count === 1 || count === 2)).toBe(true);
});

test('clearing a user answers once the entries are deleted, also beside another call', async () => {
  const owner = await createLargeMemory();
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let second: Promise<number> | undefined;
  // The first call deletes a batch, and the rest only once the second has answered.
  let batches = 0;
  const slow: Database = {
    ...other,
    transaction: async (work) => {
      batches += 1;
      if (batches > 1) await answered;
      return other.transaction(async (transaction) => {
        const result = await work(transaction);
        if (batches === 1) {
          second = clearAnn(owner);
          await waitForLockWaiter(made.database.pool);
        }
        return result;
      });
    },
  };
  const first = clearAnn(owner, slow);
  await eventually(() => {
    expect(second).toBeDefined();
  });
  expect([await second, await rows(owner)]).toEqual([many - batch, many]);
  answer();
  expect(await first).toBe(batch);
});

test('clearing a user is completed by a repeat if it was interrupted', async () => {
  const owner = await createLargeMemory();
  let transactions = 0;
  const crashing: Database = {
    ...made.database,
    transaction: (work) => {
      transactions += 1;
      if (transactions === 2) return Promise.reject(new Error('crashed'));
      return made.database.transaction(work);
    },
  };
  await expect(clearAnn(owner, crashing)).rejects.toThrow('crashed');
  expect(await clearAnn(owner)).toBe(many - batch);
  expect(await rows(owner)).toBe(many);
  expect(await embeddings(owner)).toBe(many);
});

test('an upgrade deletes the entries that 0.1.0 has hidden, and the words that it has learnt', async () => {
  const before = '20261119070000_finish_clearings';
  const directory = await temporaryFolder();
  for (const name of await migrationNames(MIGRATIONS_DIRECTORY)) {
    if (name >= before) continue;
    await cp(path.join(MIGRATIONS_DIRECTORY, name), path.join(directory, name), {
      recursive: true,
    });
  }
  const bare = await createBareDatabase();
  const pool = openPool({ connectionString: bare.url });
  try {
    await migrate({ url: bare.url, directory });
    // Both agents have the same users. Only entries of ann in the current memory of the first, of before the clearing, are hidden.
    await pool.query(`
      INSERT INTO accounts (id, name) VALUES ('acct_1', 'acme');
      INSERT INTO agents (id, account_id, name, model, memory_id, memory_epoch)
      VALUES ('agent_1', 'acct_1', 'one', 'builtin/echo', 'agent_1.3', 8), ('agent_2', 'acct_1', 'two', 'builtin/echo', NULL, 0);
      INSERT INTO memory_clearances (account_id, agent_id, user_id, epoch) VALUES ('acct_1', 'agent_1', 'ann', 7);
      INSERT INTO memory_words (account_id, agent_id, word, said_at) VALUES ('acct_1', 'agent_1.3', 'parcel', now());
      INSERT INTO memory_entries (account_id, agent_id, id, request_id, role, user_id, content, epoch)
      SELECT 'acct_1', agent_id, 'mem_' || agent_id || user_id || epoch, 'req_1', 'user', user_id, 'parcel', epoch
        FROM unnest('{agent_1.3,agent_2}'::text[]) AS agent_id, unnest('{ann,bob}'::text[]) AS user_id, unnest('{3,7,8}'::int[]) AS epoch;
      INSERT INTO memory_embeddings (account_id, agent_id, entry_id, model, embedding, signature)
      SELECT account_id, agent_id, id, 'm', '{1}', B'1' FROM memory_entries`);
    await migrate({ url: bare.url });
    const { rows: kept } = await pool.query<{ id: string }>(
      'SELECT entry.id FROM memory_entries AS entry JOIN memory_embeddings ON entry_id = entry.id ORDER BY entry.id',
    );
    const ids = ['agent_1.3ann8', 'agent_1.3bob3', 'agent_1.3bob7', 'agent_1.3bob8'];
    const ofTwo = ['ann3', 'ann7', 'ann8', 'bob3', 'bob7', 'bob8'].map((own) => `agent_2${own}`);
    expect(kept.map(({ id }) => id.slice(4))).toEqual([...ids, ...ofTwo]);
    const { rows: left } = await pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM memory_embeddings',
    );
    expect(left).toEqual([{ count: kept.length }]);
    expect((await pool.query('SELECT FROM memory_words')).rowCount).toBe(0);
  } finally {
    await pool.end();
    await bare.drop();
  }
});

/** The number of rows that PostgreSQL fetches for a read depends on the result, and not on the size of the history. */
import { beforeAll, expect, test } from '@jest/globals';
import { layOutPartitions } from '../../scripts/bench/history/partitions.js';
import { lowestIdAt } from '../../server/lib/data/typeid.js';
import type { Queryable } from '../../server/postgres/connection.js';
import { type Ranking, searchText } from '../../server/memory/search.sql.js';
import { readHistories } from '../../server/invocations/sessions/history.sql.js';
import { readUsage } from '../../server/metrics/read.sql.js';
import { useDatabase } from '../helpers/database/database.js';
import { analyzeAll, fetchedBy } from '../helpers/database/plans.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';

const made = useDatabase();
const dayMs = 86_400_000;
const days = 60;
const entries = 30_000;
let accountId: string;
let large: string;
let small: string;
let talkative: string;

beforeAll(async () => {
  const { database } = made;
  accountId = await insertAccount(database);
  large = await insertAgent(database, accountId);
  small = await insertAgent(database, accountId);
  talkative = await insertAgent(database, accountId);
  const client = await database.pool.connect();
  await layOutPartitions(client, days);
  client.release();
  await insertMemory(large, entries);
  await insertMemory(small, 300);
  await insertSessions(talkative);
  await insertBusyDay(large);
  await analyzeAll(database);
});

/**
 * Every entry contains "order"; 1,000 of all contain "walrus" and 2,500 "parcel"; the 1,000 oldest contain "mammoth" and
 * the 2,500 oldest "glacier". 3,000 users have the same number of entries each.
 */
async function insertMemory(agentId: string, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => n);
  const ids = numbers.map((n) =>
    lowestIdAt('mem', new Date(Date.now() - days * dayMs * (1 - n / count))),
  );
  await made.database.pool.query(
    `INSERT INTO memory_entries (account_id, id, agent_id, request_id, role, user_id, content)
     SELECT $3, id, $1, 'req_' || n, 'user', 'user-' || n % 3000,
            concat_ws(' ', 'order', CASE WHEN n % 30 = 0 THEN 'walrus' END, CASE WHEN n % 12 = 0 THEN 'parcel' END,
                      CASE WHEN n <= 1000 THEN 'mammoth' END, CASE WHEN n <= 2500 THEN 'glacier' END)
       FROM unnest($2::text[]) WITH ORDINALITY AS entry (id, n)`,
    [agentId, ids, accountId],
  );
}

/** 2,000 messages of each of two users in each of three chats, and as many without a user in each of three talks. */
async function insertSessions(agentId: string): Promise<void> {
  const numbers = Array.from({ length: 18_000 }, (_, n) => n);
  const ids = numbers.map((n) =>
    lowestIdAt('mem', new Date(Date.now() - days * dayMs * (1 - n / numbers.length))),
  );
  await made.database.pool.query(
    `INSERT INTO memory_entries (account_id, id, agent_id, request_id, role, user_id, session_id, content)
     SELECT $3, id, $1, 'req_' || n, 'user', (ARRAY['ann', 'bob', NULL])[1 + n % 3],
            (ARRAY['chat ', 'chat ', 'talk '])[1 + n % 3] || n / 3 % 3, 'Hello.'
       FROM unnest($2::text[]) WITH ORDINALITY AS entry (id, n)`,
    [agentId, ids, accountId],
  );
}

/** Today, with ten log entries a minute, as counted. */
async function insertBusyDay(agentId: string): Promise<void> {
  await made.database.pool.query(
    `INSERT INTO usage_rollups (account_id, agent_id, bucket_seconds, bucket_start, logs_info)
     SELECT $3, $1, size, date_bin(size * interval '1 second', minute, 'epoch') AS start, 10 * count(*)
       FROM generate_series($2::timestamptz, $2::timestamptz + interval '1439 minutes', '1 minute') AS minute,
            unnest('{60,300,3600,86400}'::int[]) AS size
      GROUP BY size, start`,
    [agentId, new Date(Math.floor(Date.now() / dayMs) * dayMs).toISOString(), accountId],
  );
}

type Read = (database: Queryable) => Promise<unknown>;

const search =
  (memoryId: () => string, query: string, userId?: string) =>
  (database: Queryable): Promise<Ranking> =>
    searchText(
      database,
      { accountId, memoryId: memoryId(), userId, sessionId: undefined, environment: undefined },
      query,
      10,
    );

/** A search reads the newest 500 of the 30,000 entries, and no more from the index than it needs. */
test.each<[string, Read, number]>([
  ['a rare word', search(() => large, 'walrus'), 700],
  ['a word of medium frequency', search(() => large, 'parcel'), 700],
  ['a word in every entry', search(() => large, 'order'), 700],
  ['the words of a user with ten entries', search(() => large, 'order parcel', 'user-77'), 30],
  ['punctuation, next to an agent with more entries', search(() => small, '?!'), 400],
])('a search for %s fetches few entries', async (_name, run, most) => {
  expect(await fetchedBy(made.database, 'memory_entries', run)).toBeLessThan(most);
});

test.each(['mammoth', 'glacier'])('%s, which no recent entry contains, is found', async (word) => {
  const { matches } = await search(() => large, word)(made.database);
  expect(matches).toHaveLength(10);
  for (const { content } of matches) expect(content).toContain(word);
});

test.each([
  ['minutes', 60, 1_440],
  ['five minutes', 300, 288],
  ['hours', 3_600, 24],
  ['days', 86_400, 1],
])('a metric of a day reads its %s', async (_name, bucketSeconds, rows) => {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const range = { from: today, to: today + dayMs };
  const metric: Read = (database) =>
    readUsage(database, {
      accountId,
      agentId: large,
      environment: undefined,
      range,
      bucketSeconds,
    });
  expect(await fetchedBy(made.database, 'usage_rollups', metric)).toBe(rows);
});

test.each([
  ['of a user', 'ann', 'chat'],
  ['without a user', null, 'talk'],
])('histories of sessions %s fetch their latest messages', async (_name, userId, topic) => {
  const requests = [`${topic} 0`, `${topic} 1`].map((sessionId) => ({
    session: { accountId, agentId: talkative, userId, sessionId, environment: null },
    owner: sessionId,
    exchanges: 20,
  }));
  const read: Read = (database) => readHistories(database, requests);
  // Two sessions of 20 exchanges, and one more exchange of each.
  expect(await fetchedBy(made.database, 'memory_entries', read)).toBe(84);
});

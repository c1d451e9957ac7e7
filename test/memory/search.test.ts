/** Searching a memory that is larger than the scanned part: rare words anywhere, frequent ones in the latest entries. */
import { beforeAll, expect, test } from '@jest/globals';
import { lowestIdAt } from '../../server/lib/data/typeid.js';
import { searchText } from '../../server/memory/search.sql.js';
import { type OpenDatabase, useDatabase } from '../helpers/database/database.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';

const entries = 12_000;

const made = useDatabase();
let database: OpenDatabase;
let accountId: string;
let agentId: string;

beforeAll(async () => {
  ({ database } = made);
  accountId = await insertAccount(database);
  agentId = await insertAgent(database, accountId);
  // Every entry contains "order"; every third "parcel", every hundredth "heron", every 2,999th "walrus"; the oldest half
  // contains "rain".
  await database.pool.query(
    `INSERT INTO memory_entries (account_id, id, agent_id, request_id, session_id, role, user_id, content)
     SELECT $3, 'mem_' || lpad(n::text, 26, '0'), $1, 'req_' || lpad('0', 26, '0'), 'endless', 'user',
            CASE WHEN n <= 5 THEN 'early-bird' ELSE 'another-user' END,
            concat_ws(' ', 'order number', n, CASE WHEN n % 3 = 0 THEN 'parcel' END,
                      CASE WHEN n % 100 = 50 THEN 'heron' END,
                      CASE WHEN n % 2999 = 0 THEN 'walrus' END, CASE WHEN n <= $2 / 2 THEN 'rain' END)
       FROM generate_series(1, $2) AS n`,
    [agentId, entries, accountId],
  );
  await database.pool.query('ANALYZE');
});

async function search(
  query: string,
  { userId, limit = 10 }: { userId?: string; limit?: number } = {},
) {
  const scope = {
    accountId,
    memoryId: agentId,
    userId,
    sessionId: undefined,
    environment: undefined,
  };
  const { matches, total } = await searchText(database, scope, query, limit);
  return { total, numbers: matches.map(({ id }) => Number(id.slice(4))) };
}

test('all entries with a rare word are found, however old', async () => {
  expect(await search('walrus')).toEqual({ total: 4, numbers: [11_996, 8_997, 5_998, 2_999] });
});

test('a number is found, however old', async () => {
  expect((await search('number 17')).numbers[0]).toBe(17);
});

test('for a word in every entry the latest are found', async () => {
  const { numbers } = await search('order');
  expect(numbers).toHaveLength(10);
  expect(Math.min(...numbers)).toBeGreaterThan(entries - 500);
});

test('a rare word decides over one in every entry', async () => {
  const { numbers } = await search('order walrus');
  expect(numbers.slice(0, 4)).toEqual([11_996, 8_997, 5_998, 2_999]);
});

test('entries with all words of a query come first, even if each word is frequent', async () => {
  const { numbers } = await search('parcel rain');
  for (const number of numbers) {
    expect([number % 3, number <= entries / 2]).toEqual([0, true]);
  }
});

test('entries with both words come before those with the rarer word, and these before those with the other', async () => {
  const { numbers } = await search('parcel heron', { limit: 60 });
  const hasBoth = numbers.map((number) => number % 300 === 150);
  expect(numbers.every((number) => number % 100 === 50)).toBe(true);
  expect(hasBoth).toEqual(numbers.map((_, place) => place < 40));
});

test('for a word in few entries the latest are found', async () => {
  const { numbers } = await search('heron');
  expect(numbers).toHaveLength(10);
  for (const number of numbers) expect(number % 100).toBe(50);
  expect(Math.min(...numbers)).toBeGreaterThan(entries - 3_100);
});

test('a word that is no longer frequent is still found', async () => {
  const { numbers } = await search('rain');
  expect(numbers).toHaveLength(10);
  for (const number of numbers) expect(number).toBeLessThanOrEqual(entries / 2);
});

test("a user's few old entries are found, even by words that are in every entry", async () => {
  const { numbers, total } = await search('order', { userId: 'early-bird' });
  expect([total, numbers.sort()]).toEqual([5, [1, 2, 3, 4, 5]]);
});

test('a very long session is searched to its beginning', async () => {
  const memory = { accountId, memoryId: agentId };
  const scope = { ...memory, userId: undefined, sessionId: 'endless', environment: undefined };
  const { matches, total } = await searchText(database, scope, 'walrus', 10);
  expect([total, matches.length]).toEqual([4, 4]);
});

test('a rare word is found in entries of every age, newest first', async () => {
  const otherAgent = await insertAgent(database, accountId);
  const dayMs = 86_400_000;
  const ages = [0.5, 5, 30];
  const idAt = (days: number) => lowestIdAt('mem', new Date(Date.now() - days * dayMs));
  const otters = ages.map((days) => idAt(days));
  // More entries than are scanned, and newer than those with the word.
  const fillers = Array.from({ length: 600 }, (_, n) => idAt(0.1 + n / 10_000));
  await database.pool.query(
    `INSERT INTO memory_entries (account_id, id, agent_id, request_id, role, content)
     SELECT $1, id, $2, 'req_' || lpad('0', 26, '0'), 'user', content
       FROM unnest($3::text[], $4::text[]) AS entry (id, content)`,
    [
      accountId,
      otherAgent,
      [...fillers, ...otters],
      [...fillers.map(() => 'nothing to see'), ...otters.map(() => 'an otter')],
    ],
  );
  const scope = {
    accountId,
    memoryId: otherAgent,
    userId: undefined,
    environment: undefined,
  };
  const found = async (limit: number) => {
    const { matches } = await searchText(
      database,
      { ...scope, sessionId: undefined },
      'otter',
      limit,
    );
    return matches.map(({ id }) => id);
  };
  expect(await found(10)).toEqual(otters);
  expect(await found(2)).toEqual(otters.slice(0, 2));
});

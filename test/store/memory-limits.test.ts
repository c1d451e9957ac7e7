/** What one entry, and one agent, can teach is bounded, and searches wait for connections of their own. */
import { expect, test } from '@jest/globals';
import { maxWordsOfAgent } from '../../server/store/sql/memory-count-words.js';
import { useDatabase } from '../helpers/database.js';
import { learnAllWords } from '../helpers/memory.js';
import { insertAccount, insertAgent } from '../helpers/rows.js';

const made = useDatabase();

/** Words are learnt in the order of the entries' ids. */
let written = 0;

/** Entries of random words, as a hostile tenant would write them, with one word that all of them have. */
async function poison(agentId: string, entries: number, words: number): Promise<void> {
  await made.database.pool.query(
    `INSERT INTO memory_entries (id, agent_id, request_id, role, content)
     SELECT 'mem_' || lpad(($4::int + e)::text, 26, '0'), $1, 'req_0', 'user', 'aaaa ' || string_agg(
              translate(substr(md5(($4::int + e) || ' ' || w || $1), 1, 10), '0123456789', 'ghijklmnop'), ' ')
       FROM generate_series(1, $2::int) AS e, generate_series(1, $3::int) AS w
      GROUP BY e`,
    [agentId, entries, words, written],
  );
  written += entries;
}

async function newAgent(): Promise<string> {
  return insertAgent(made.database, await insertAccount(made.database));
}

const knownWords = (agentId: string) =>
  made.database.prisma.memoryWord.count({ where: { agentId } });

test('an entry teaches 2 000 words at most, and is indexed by as many', async () => {
  const agentId = await newAgent();
  await poison(agentId, 1, 8_000);
  await learnAllWords(made.database);
  expect(await knownWords(agentId)).toBeLessThanOrEqual(2_001);
  const { rows } = await made.database.pool.query<{ keys: number }>(
    `SELECT cardinality(memory_keys(agent_id, user_id, search)) AS keys FROM memory_entries WHERE agent_id = $1`,
    [agentId],
  );
  expect(rows).toEqual([{ keys: 2_000 }]);
});

test('an agent knows so many words at most, and goes on counting those that it knows', async () => {
  const agentId = await newAgent();
  await poison(agentId, 30, 2_000);
  await learnAllWords(made.database);
  // One batch is learnt as a whole before the limit is seen.
  const known = await knownWords(agentId);
  expect(known).toBeLessThan(2 * maxWordsOfAgent);
  await poison(agentId, 5, 2_000);
  await learnAllWords(made.database);
  expect(await knownWords(agentId)).toBe(known);
  const shared = await made.database.prisma.memoryWord.findFirst({
    where: { agentId, word: 'aaaa' },
  });
  expect(Number(shared?.entries)).toBe(35);
});

test('searches that take too long are ended, and neither other work nor other accounts wait for them', async () => {
  const slow = { name: 'slow', text: 'SELECT pg_sleep(20) AS slept' };
  const searches = Array.from({ length: 10 }, () =>
    made.database
      .searches('one')
      .run(slow, [])
      .then(
        () => 'answered',
        (error: unknown) => (error as Error).name,
      ),
  );
  const order: string[] = [];
  const others = Promise.all([
    ...Array.from({ length: 20 }, () =>
      made.database.run({ name: 'ping', text: 'SELECT 1 AS one' }, []),
    ),
    made.database.searches('another').run({ name: 'quick', text: 'SELECT 1 AS one' }, []),
  ]);
  await Promise.all([
    others.then(() => order.push('others')),
    Promise.race(searches).then(() => order.push('a search')),
  ]);
  expect(order).toEqual(['others', 'a search']);
  expect(new Set(await Promise.all(searches))).toEqual(new Set(['StoreUnavailable']));
});

/** The cost that one entry or agent can add to searches is bounded, and searches are limited in number and time. */
import { expect, test } from '@jest/globals';
import { searchText } from '../../server/memory/search.sql.js';
import { useDatabase } from '../helpers/database/database.js';
import type { Owner } from '../helpers/database/history.js';
import { remember } from './filled-memory.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';

const made = useDatabase();

/** Entries of random words, as a hostile tenant would write them, with one word in common. */
async function insertRandomEntries(
  { accountId, agentId }: Owner,
  entries: number,
  words: number,
): Promise<void> {
  await made.database.pool.query(
    `INSERT INTO memory_entries (account_id, id, agent_id, request_id, role, content)
     SELECT $4, 'mem_' || lpad(e::text, 26, '0'), $1, 'req_0', 'user', 'aaaa ' || string_agg(
              translate(substr(md5(e || ' ' || w || $1), 1, 10), '0123456789', 'ghijklmnop'), ' ')
       FROM generate_series(1, $2::int) AS e, generate_series(1, $3::int) AS w
      GROUP BY e`,
    [agentId, entries, words, accountId],
  );
}

async function newOwner(): Promise<Owner> {
  const accountId = await insertAccount(made.database);
  return { accountId, agentId: await insertAgent(made.database, accountId) };
}

const scopeOf = ({ accountId, agentId: memoryId }: Owner) => ({
  accountId,
  memoryId,

  userId: undefined,
  sessionId: undefined,
  environment: undefined,
});

/** Repeats the text for each number until there are this many characters. */
function textOf(characters: number, word: (n: number) => string): string {
  const words: string[] = [];
  for (let length = 0, n = 0; length < characters; n += 1) {
    const next = word(n);
    words.push(next);
    length += Array.from(next).length;
  }
  return Array.from(words.join('')).slice(0, characters).join('');
}

/** Distinct words of four letters from an alphabet that starts here. */
const letters = (first: number, n: number) =>
  [1, 26, 26 ** 2, 26 ** 3]
    .map((place) => String.fromCodePoint(first + (Math.floor(n / place) % 26)))
    .join('');

const a = 0x61;
const deseret = 0x10428;

test.each([
  ['one word', 'x'.repeat(100_000)],
  [
    'short words with hyphens',
    textOf(262_144, (n) => `${letters(a, 2 * n)}-${letters(a, 2 * n + 1)} `),
  ],
  [
    'short words with hyphens, of four bytes a letter',
    textOf(262_144, (n) => `${letters(deseret, 2 * n)}-${letters(deseret, 2 * n + 1)} `),
  ],
  ['addresses', textOf(262_144, (n) => `${letters(a, n)}.de/${letters(a, 7 * n)} `)],
  [
    'single letters of another script',
    textOf(262_144, (n) => `${String.fromCodePoint(0x4e00 + (n % 20_000))} `),
  ],
  ['millions of words', textOf(4_000_000, (n) => `${n} `)],
])('%s, of any length, can be remembered', async (_name, text) => {
  const owner = await newOwner();
  await remember(made.database, owner, [`narwhal ${text}`]);
  const { total } = await searchText(made.database, scopeOf(owner), 'narwhal', 10);
  expect(total).toBe(1);
});

test('a memory of long texts only is searched within the time limit', async () => {
  const owner = await newOwner();
  await insertRandomEntries(owner, 60, 9_000);
  const words = Array.from({ length: 100 }, (_, n) => letters(a, n)).join(' ');
  const searches = made.database.searches('one');
  expect((await searchText(searches, scopeOf(owner), `aaaa ${words}`, 10)).matches).toHaveLength(
    10,
  );
});

test('searches that take too long are aborted, and delay neither other work nor other accounts', async () => {
  const slow = { name: 'slow', text: 'SELECT pg_sleep(20) AS slept' };
  const searches = Array.from({ length: 4 }, () =>
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

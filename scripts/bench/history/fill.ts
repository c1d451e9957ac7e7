/** Fills the history of an agent with generated rows, in the form in which the service writes them. */
import type pg from 'pg';
import type { Tenant } from '../lib/installation.js';

type Owner = Pick<Tenant, 'accountId' | 'agentId'>;

/** The age of the oldest row. */
export const days = 60;

/** Words by frequency rank: the first is in most entries, the last in a few per million. */
const knownWords = {
  1: 'order',
  40: 'delivery',
  100: 'refund',
  200: 'invoice',
  400: 'address',
  1_000: 'voucher',
  3_000: 'harbour',
  10_000: 'lantern',
  20_000: 'walnut',
  40_000: 'zucchini',
};
const vocabulary = 50_000;
const texts = 50_000;

/** Texts of 14 words with the word frequencies of natural language (Zipf's law). */
export async function prepareTexts(client: pg.Client): Promise<void> {
  const syllables = `ARRAY['ba','ke','li','mo','nu','ra','se','ti','vo','du','fa','ge','hi','jo','pu','zar','men','lor','tis','wen']`;
  await client.query(`
    CREATE SCHEMA bench;
    -- The time at the beginning of an id: ten characters of five bits each.
    CREATE FUNCTION bench.id_time(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
      SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
               ((floor(extract(epoch FROM at) * 1000)::bigint >> (5 * place)) & 31)::int + 1, 1), '' ORDER BY place DESC)
        FROM generate_series(0, 9) AS place
    $$;
    CREATE TABLE bench.words AS
    SELECT rank, (SELECT string_agg((${syllables})[1 + (hashint8(rank * 31 + n)::bigint & 2147483647) % 20], '')
                    FROM generate_series(1, 2 + rank % 3) AS n) AS word
      FROM generate_series(1, ${vocabulary}) AS rank;
    CREATE UNIQUE INDEX ON bench.words (rank)`);
  for (const [rank, word] of Object.entries(knownWords)) {
    await client.query('UPDATE bench.words SET word = $2 WHERE rank = $1', [rank, word]);
  }
  await client.query(`
    SELECT setseed(0.5);
    CREATE TABLE bench.texts AS
    SELECT number, string_agg(word, ' ') AS text
      FROM (SELECT number, floor(power(${vocabulary}::float8, random()))::int AS rank
              FROM generate_series(0, ${texts - 1}) AS number, generate_series(1, 14)) AS drawn
      JOIN bench.words USING (rank)
     GROUP BY number;
    CREATE UNIQUE INDEX ON bench.texts (number);
    ANALYZE bench.texts`);
}

export async function fillHistory(client: pg.Client, owner: Owner, entries: number): Promise<void> {
  await client.query(`
    SET maintenance_work_mem = '1GB';
    DROP TABLE IF EXISTS bench.history;
    CREATE TABLE bench.history AS
    SELECT n, at, bench.id_time(at) || lpad(${entries} + n || '', 16, '0') AS suffix,
           (hashint8(n)::bigint & 2147483647) % ${texts} AS text
      FROM (SELECT n, date_trunc('milliseconds', now() - interval '${days} days' * (1 - n::float8 / ${entries})) AS at
              FROM generate_series(1, ${entries}) AS n) AS numbered`);
  await fillInvocations(client, owner);
  await fillMemory(client, owner);
}

/** SQL values for the columns `account_id` and `agent_id`. */
const idsOf = ({ accountId, agentId }: Owner) => `'${accountId}', '${agentId}'`;

async function fillInvocations(client: pg.Client, owner: Owner): Promise<void> {
  const ids = idsOf(owner);
  await client.query(`
    INSERT INTO invocations (account_id, agent_id, id, status, tokens_used, duration_ms, created_at, finished_at)
    SELECT ${ids}, 'req_' || suffix, (CASE WHEN n % 25 = 0 THEN 'failed' ELSE 'succeeded' END)::invocation_status,
           12, 100 + n % 900, at, at
      FROM bench.history;
    INSERT INTO log_entries (account_id, agent_id, id, logged_at, level, request_id, message, metadata)
    SELECT ${ids}, 'log_' || suffix, at,
           (CASE WHEN n % 20 = 0 THEN 'error' WHEN n % 10 = 1 THEN 'warn' ELSE 'info' END)::log_level,
           'req_' || suffix, 'Invocation answered in ' || 100 + n % 900 || ' ms.', '{"duration_ms": 100}'
      FROM bench.history;
    INSERT INTO usage_rollups (account_id, agent_id, bucket_seconds, bucket_start, invocations, failures, duration_ms,
                               logs_debug, logs_info, logs_warn, logs_error)
    SELECT ${ids}, size, date_bin(size * interval '1 second', at, 'epoch') AS bucket, count(*),
           count(*) FILTER (WHERE n % 25 = 0), sum(100 + n % 900), 0,
           count(*) FILTER (WHERE n % 20 <> 0 AND n % 10 <> 1), count(*) FILTER (WHERE n % 10 = 1),
           count(*) FILTER (WHERE n % 20 = 0)
      FROM bench.history CROSS JOIN unnest(ARRAY[60, 300, 3600, 86400]) AS size
     GROUP BY size, bucket`);
}

async function fillMemory(client: pg.Client, owner: Owner): Promise<void> {
  const ids = idsOf(owner);
  // Building the index afterwards is many times faster than updating it row by row.
  const index = 'memory_entries_search_idx';
  const { rows } = await client.query<{ indexdef: string }>(
    'SELECT indexdef FROM pg_indexes WHERE indexname = $1',
    [index],
  );
  await client.query(`DROP INDEX ${index}`);
  await client.query(`
    INSERT INTO memory_entries (account_id, agent_id, id, request_id, session_id, user_id, role, content, created_at)
    SELECT ${ids}, 'mem_' || suffix, 'req_' || suffix, 'session-' || n / 20, 'user-' || n % 5000,
           (CASE WHEN n % 2 = 0 THEN 'user' ELSE 'agent' END)::memory_role, texts.text || ' ' || n, at
      FROM bench.history JOIN bench.texts ON texts.number = history.text
     ORDER BY n`);
  // Without ONLY, so that the partitions get the index too.
  await client.query((rows[0]?.indexdef ?? '').replace(' ON ONLY ', ' ON '));
}

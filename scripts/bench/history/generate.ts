/** Generates a long history for an agent quickly: the rows that the service would have written, generated in SQL. */
import type pg from 'pg';

export interface HistoryOptions {
  agentId: string;
  /** The number of invocations, of log entries and of memory entries. */
  entries: number;
  /** Where ids start to count, so that histories do not share ids. */
  firstId: number;
  days: number;
}

/** Words by frequency rank: the first is in most entries, the last in a few of a million. */
const knownWords = {
  1: 'order',
  40: 'delivery',
  400: 'address',
  4_000: 'refund',
  40_000: 'zucchini',
};
const vocabulary = 50_000;
const sentences = 50_000;

/** Texts of 14 words with the word frequencies of natural language (Zipf's law). */
export async function prepareTexts(client: pg.Client): Promise<void> {
  const syllables = `ARRAY['ba','ke','li','mo','nu','ra','se','ti','vo','du','fa','ge','hi','jo','pu','zar','men','lor','tis','wen']`;
  await client.query(`
    CREATE SCHEMA bench;
    CREATE FUNCTION bench.characters(at timestamptz) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
    DECLARE
      ms bigint := floor(extract(epoch FROM at) * 1000);
      text text := '';
    BEGIN
      FOR place IN 1..10 LOOP
        text := substr('0123456789abcdefghjkmnpqrstvwxyz', (ms & 31)::int + 1, 1) || text;
        ms := ms >> 5;
      END LOOP;
      RETURN text;
    END $$;
    CREATE TABLE bench.words AS
    SELECT rank, (SELECT string_agg((${syllables})[1 + (hashint8(rank * 31 + n)::bigint & 2147483647) % 20], '')
                    FROM generate_series(1, 2 + rank % 3) AS n) AS word
      FROM generate_series(1, ${vocabulary}) AS rank`);
  for (const [rank, word] of Object.entries(knownWords)) {
    await client.query('UPDATE bench.words SET word = $2 WHERE rank = $1', [rank, word]);
  }
  await client.query(`
    CREATE UNIQUE INDEX ON bench.words (rank);
    ANALYZE bench.words;
    SELECT setseed(0.5);
    CREATE TABLE bench.texts AS
    SELECT number, string_agg(word, ' ') AS text
      FROM (SELECT number, floor(power(${vocabulary}::float8, random()))::int AS rank
              FROM generate_series(0, ${sentences - 1}) AS number, generate_series(1, 14)) AS drawn
      JOIN bench.words USING (rank)
     GROUP BY number;
    CREATE UNIQUE INDEX ON bench.texts (number);
    ANALYZE bench.texts`);
}

/** Needs superuser connections, to disable triggers and foreign-key checks; two run in parallel. */
export async function generateHistory(
  clients: [pg.Client, pg.Client],
  history: HistoryOptions,
): Promise<void> {
  const [first, second] = clients;
  for (const client of clients) {
    await client.query(`SET session_replication_role = replica; SET maintenance_work_mem = '1GB'`);
  }
  const rebuildIndex = await dropIndex(first, 'memory_entries_search_idx');
  const half = Math.floor(history.entries / 2);
  await Promise.all([
    insertMemory(first, history, 1, half),
    insertInvocations(second, history).then(() =>
      insertMemory(second, history, half + 1, history.entries),
    ),
  ]);
  await Promise.all([rebuildIndex(), learnWords(second, history)]);
  // As autovacuum does: not of partitions that are empty yet.
  const { rows } = await first.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0`,
  );
  await first.query(`VACUUM ANALYZE ${rows.map(({ name }) => name).join(', ')}`);
}

/** Begins with the time, as ids do: ten characters of five bits each. */
const id = (prefix: string, history: HistoryOptions) =>
  `'${prefix}_' || bench.characters(${at(history)}) || lpad((${history.firstId} + n)::text, 16, '0')`;
const at = ({ days, entries }: HistoryOptions) =>
  `date_trunc('milliseconds', now() - interval '${days} days' * (1 - n::float8 / ${entries}))`;

async function insertInvocations(client: pg.Client, history: HistoryOptions): Promise<void> {
  const agent = `'${history.agentId}'`;
  const numbers = `generate_series(1, ${history.entries}) AS n`;
  await client.query(`
    INSERT INTO invocations (id, agent_id, status, tokens_used, duration_ms, created_at, finished_at)
    SELECT ${id('req', history)}, ${agent}, (CASE WHEN n % 25 = 0 THEN 'failed' ELSE 'succeeded' END)::invocation_status,
           12, 100 + n % 900, ${at(history)}, ${at(history)}
      FROM ${numbers}`);
  await client.query(`
    INSERT INTO log_entries (id, agent_id, logged_at, level, request_id, message, metadata)
    SELECT ${id('log', history)}, ${agent}, ${at(history)},
           (CASE WHEN n % 20 = 0 THEN 'error' WHEN n % 10 = 1 THEN 'warn' ELSE 'info' END)::log_level,
           ${id('req', history)}, 'Invocation answered in ' || 100 + n % 900 || ' ms.', '{"duration_ms": 100}'
      FROM ${numbers}`);
  await client.query(`
    INSERT INTO usage_rollups (agent_id, bucket_seconds, bucket_start, invocations, failures, duration_ms,
                               logs_debug, logs_info, logs_warn, logs_error)
    SELECT ${agent}, size, date_bin(size * interval '1 second', minute, 'epoch') AS bucket, sum(invocations),
           sum(failures), sum(duration), 0, sum(infos), sum(warnings), sum(errors)
      FROM (SELECT date_bin('1 minute', created_at, 'epoch') AS minute, count(*) AS invocations,
                   count(*) FILTER (WHERE status = 'failed') AS failures, sum(duration_ms) AS duration,
                   0 AS infos, 0 AS warnings, 0 AS errors
              FROM invocations WHERE agent_id = ${agent} GROUP BY 1
            UNION ALL
            SELECT date_bin('1 minute', logged_at, 'epoch'), 0, 0, 0, count(*) FILTER (WHERE level = 'info'),
                   count(*) FILTER (WHERE level = 'warn'), count(*) FILTER (WHERE level = 'error')
              FROM log_entries WHERE agent_id = ${agent} GROUP BY 1) AS counted
     CROSS JOIN unnest(ARRAY[60, 3600, 86400]) AS size
     GROUP BY size, bucket
     ORDER BY size, bucket`);
}

async function insertMemory(
  client: pg.Client,
  history: HistoryOptions,
  from: number,
  to: number,
): Promise<void> {
  await client.query(`
    INSERT INTO memory_entries (id, agent_id, request_id, session_id, user_id, role, content, created_at)
    SELECT ${id('mem', history)}, '${history.agentId}', ${id('req', history)}, 'session-' || n / 20, 'user-' || n % 5000,
           (CASE WHEN n % 2 = 0 THEN 'user' ELSE 'agent' END)::memory_role, text || ' ' || n, ${at(history)}
      FROM generate_series(${from}, ${to}) AS n
      JOIN bench.texts ON texts.number = (hashint8(n)::bigint & 2147483647) % ${sentences}
     ORDER BY n`);
}

async function learnWords(client: pg.Client, { agentId }: HistoryOptions): Promise<void> {
  await client.query(`
    INSERT INTO memory_words (agent_id, word, said_at)
    SELECT DISTINCT '${agentId}', word, now()
      FROM bench.texts CROSS JOIN unnest(tsvector_to_array(to_tsvector('english', text))) AS word
     WHERE length(word) > 3`);
  await client.query(`
    INSERT INTO settings (key, value) SELECT 'memory_words', to_jsonb(max(id)) FROM memory_entries
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`);
}

/** Building an index at once is many times faster than filling it row by row. */
async function dropIndex(client: pg.Client, name: string): Promise<() => Promise<unknown>> {
  const { rows } = await client.query<{ indexdef: string }>(
    'SELECT indexdef FROM pg_indexes WHERE indexname = $1',
    [name],
  );
  await client.query(`DROP INDEX ${name}`);
  // Of the partitions too.
  return () => client.query((rows[0]?.indexdef ?? '').replace(' ON ONLY ', ' ON '));
}

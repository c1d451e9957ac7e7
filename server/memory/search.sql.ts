/**
 * Finds memory entries that contain words of a query, or its text if it has no indexed words.
 * Why SQL: full-text search, which Prisma does not support.
 *
 * The cost hardly grows with the history. The newest entries are scanned. A word that few of them contain may be in older ones, which
 * the index finds.
 */
import type { MemoryRole } from '../../generated/prisma/enums.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import { pageOf, type PageRow } from '../postgres/page.js';
import { pageWithTotal, parameters } from '../postgres/fragments.sql.js';
import { inScope, type Memory, type MemoryScope, newestEntries, scopeName } from './scope.sql.js';

export interface Ranked {
  id: string;
  /** From 0 to 1. */
  score: number;
}

export interface StoredMemory {
  id: string;
  content: string;
  role: MemoryRole;
  sessionId: string | null;
  userId: string | null;
  requestId: string;
  /** Null: production. */
  environment: string | null;
  createdAt: Date;
}

export type MemoryMatch = StoredMemory & Ranked;

export interface Ranking {
  /** Best first, up to 1 MB in total. */
  matches: MemoryMatch[];
  total: number;
}

/** Limits the scan of the newest entries by their number, and by the total size of their search vectors. */
const maxNewest = 500;
const maxNewestBytes = 1_000_000;

/** The number of matches of a rare word that are read. */
const maxRead = 5_000;

/** The number of those that are ranked, newest first. */
const maxRanked = (limit: number) => Math.max(50, 2 * limit);

// Longer queries are reduced to their longest words.
const findWords: Statement = {
  name: 'memory_query_words',
  text: `
    SELECT lexeme AS word FROM unnest(to_tsvector('english', $1)) ORDER BY length(lexeme) DESC, lexeme LIMIT 10`,
};

export async function searchText(
  database: Queryable,
  scope: MemoryScope,
  query: string,
  limit: number,
): Promise<Ranking> {
  const found = await database.run<{ word: string }>(findWords, [query]);
  const words = found.map(({ word }) => quoted(word));
  return words.length === 0
    ? findVerbatim(database, scope, query, limit)
    : rankByWords(database, scope, words, limit);
}

/** Quotes a lexeme for a text query, so that it is not normalised again. */
const quoted = (word: string) => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/**
 * For a query of stop words and signs, which are not indexed: returns the newest entries that contain the text. Ignores the case of ASCII
 * letters only, which takes half the time: stop words are ASCII, and signs have no case.
 */
async function findVerbatim(
  database: Queryable,
  scope: MemoryScope,
  text: string,
  limit: number,
): Promise<Ranking> {
  const { values, bind } = parameters();
  const pattern = bind(`%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
  const like = /[a-z]/i.test(text) ? 'ILIKE' : 'LIKE';
  const statement = `
    WITH found AS MATERIALIZED (
      SELECT * FROM (${newestEntries(scope, maxNewest, bind)}) AS entry
       WHERE ${beginning} COLLATE "C" ${like} ${pattern}
    )
    SELECT 1::float8 AS score, ${columns('id DESC')}, (SELECT count(*) FROM found)::float8 AS total
      FROM (SELECT * FROM found ORDER BY id DESC LIMIT ${bind(limit)}) AS page
     ORDER BY id DESC`;
  const name = `memory_find_verbatim_${like}_${scopeName(scope)}`;
  return rankingOf(await database.run<PageRow<FoundRow>>({ name, text: statement }, values));
}

/** Avoids `left` for short contents, because counting characters takes longer than searching them. */
const beginning = `CASE WHEN octet_length(content) > 10000 THEN left(content, 10000) ELSE content END`;

/**
 * Ranks by the words that an entry contains, then by time. A rare word counts more than a frequent one. An entry with all words has the
 * score 1. The words are quoted.
 */
async function rankByWords(
  database: Queryable,
  scope: MemoryScope,
  words: readonly string[],
  count: number,
): Promise<Ranking> {
  const { values, bind } = parameters();
  const limit = bind(count);
  const conditions = inScope(scope, bind);
  const text = `
    WITH word AS MATERIALIZED (
      SELECT query::tsquery FROM unnest(${bind(words)}::text[]) AS query
    ), newest AS MATERIALIZED (
      SELECT id, search, sum(pg_column_size(search)) OVER (ORDER BY id DESC ROWS UNBOUNDED PRECEDING) AS bytes
        FROM (${newestEntries(scope, maxNewest, bind)}) AS entry
    ), recent AS MATERIALIZED (
      SELECT id, search FROM newest WHERE bytes <= ${maxNewestBytes} AND search @@ ${bind(words.join(' | '))}::tsquery
    ), rare AS MATERIALIZED (
      SELECT query FROM (SELECT query FROM word UNION SELECT ${bind(words.join(' & '))}::tsquery) AS lookup
       WHERE (SELECT count(*) = ${maxNewest} OR max(bytes) > ${maxNewestBytes} FROM newest)
         AND (SELECT count(*) FROM recent WHERE search @@ query) < ${limit}
    ), found AS MATERIALIZED (
      SELECT id, search FROM recent
      UNION ALL
      SELECT DISTINCT ON (older.id) older.id, older.search
        FROM rare CROSS JOIN LATERAL (
          -- Planned as if all of it were read, so that it is never a scan in the hope of many matches.
          WITH entry AS MATERIALIZED (
            SELECT id, search FROM memory_entries WHERE ${conditions} AND search @@ rare.query
          )
          SELECT * FROM (SELECT * FROM entry LIMIT ${maxRead}) AS read ORDER BY id DESC LIMIT ${bind(maxRanked(count))}
        ) AS older
       WHERE older.id NOT IN (SELECT id FROM recent)
    ), matched AS MATERIALIZED (
      SELECT id, query
        FROM (SELECT id, search || '' AS search FROM found OFFSET 0) AS entry -- reads a long vector only once
        JOIN word ON search @@ query
    ), weighted AS MATERIALIZED (
      SELECT query, ln(2 + ${maxNewest}.0 / (1 + count(id))) AS weight FROM word LEFT JOIN matched USING (query) GROUP BY query
    ), best AS MATERIALIZED (
      SELECT id, (sum(weight) / (SELECT sum(weight) FROM weighted))::float8 AS score
        FROM matched JOIN weighted USING (query) GROUP BY id ORDER BY score DESC, id DESC LIMIT ${limit}
    )
    ${pageWithTotal(
      `score, ${columns('score DESC, id DESC')}`,
      'SELECT count(*)::float8 AS total FROM found',
      `SELECT * FROM best JOIN memory_entries USING (id)
        WHERE account_id = ${bind(scope.accountId)} AND agent_id = ${bind(scope.memoryId)}`,
      'score DESC, id DESC',
    )}`;
  const name = `memory_rank_words_${scopeName(scope)}`;
  return rankingOf(await database.run<PageRow<FoundRow>>({ name, text }, values));
}

/** The content is null beyond `maxContentBytes`. */
type FoundRow = Omit<MemoryMatch, 'content'> & { content: string | null };

/** The maximum total size of the contents that are read. The first content is always read. */
const maxContentBytes = 1_000_000;

const columns = (order: string) => `
  id, role, session_id AS "sessionId", user_id AS "userId", request_id AS "requestId", environment, created_at AS "createdAt",
  CASE WHEN sum(octet_length(content)) OVER (ORDER BY ${order}) <= ${maxContentBytes}
         OR row_number() OVER (ORDER BY ${order}) = 1 THEN content END AS content`;

/** Returns the entries that still exist, in any order, up to 1 MB in total. */
export async function findMemories(
  database: Queryable,
  { accountId, memoryId }: Memory,
  ids: readonly string[],
): Promise<StoredMemory[]> {
  const text = `
    SELECT ${columns('array_position($3::text[], id)')} FROM memory_entries
     WHERE account_id = $1 AND agent_id = $2 AND id = ANY ($3::text[])`;
  const found = await database.run<FoundRow & object>({ name: 'memory_find', text }, [
    accountId,
    memoryId,
    ids,
  ]);
  return found.filter(hasContent);
}

function rankingOf(rows: PageRow<FoundRow>[]): Ranking {
  const { items, total } = pageOf(rows);
  return { matches: items.filter(hasContent), total };
}

function hasContent(row: FoundRow): row is MemoryMatch {
  return row.content !== null;
}

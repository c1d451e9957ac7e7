/**
 * Finds and ranks memory entries that match words, or that contain a text if the query has no indexable words.
 * Why SQL: full-text search and ranking, which Prisma does not support.
 *
 * The cost does not grow with the history. The newest entries are scanned. A word with too few matches among them is rare, so the
 * index finds the newest entries that contain it, however old they are.
 */
import type { MemoryRole } from '../../../generated/prisma/enums.js';
import { lowestIdAt } from '../../lib/data/typeid.js';
import { currentTime } from '../../lib/time/clock.js';
import type { Queryable } from '../postgres/connection.js';
import { pageOf, type PageRow } from '../postgres/page.js';
import { type Bind, pageWithTotal, parameters } from '../postgres/fragments.sql.js';
import {
  inScope,
  type Memory,
  type MemoryScope,
  newestEntries,
  scopeName,
  excludeCleared,
} from './scope.sql.js';
import type { QueryWord } from './similar-words.sql.js';

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
  createdAt: Date;
}

export type MemoryMatch = StoredMemory & Ranked;

export interface Ranking {
  /** Best first, up to 1 MB in total. */
  matches: MemoryMatch[];
  /** At most `maxMatches`. */
  total: number;
}

export const maxMatches = 1_000;

/** Limits the scan of the newest entries by their number, and by the total size of their search vectors. */
const maxNewest = 500;
const maxNewestBytes = 1_000_000;

/** The number of newest entries to read through the index. */
const maxIndexed = (limit: number) => Math.max(50, 2 * limit);

/** The index does not return the newest entries first, so older entries than this are searched only if there are too few newer ones. */
const recentDays = 3;

/**
 * For a query of stop words and signs, which are not indexed: finds the newest entries that contain the text verbatim.
 * Ignores the case of ASCII letters only, which takes half the time: stop words are ASCII, and signs have no case.
 */
export async function rankByText(
  database: Queryable,
  scope: MemoryScope,
  text: string,
  limit: number,
): Promise<Ranking> {
  const { values, bind } = parameters();
  const pattern = bind(`%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
  const like = /[a-z]/i.test(text) ? 'ILIKE' : 'LIKE';
  const found = `
    SELECT *, word_similarity(${bind(text)}, left(content, 1000))::float8 AS score FROM (
      SELECT * FROM (${newestEntries(scope, maxNewest, bind)}) AS entry
       WHERE ${beginning} COLLATE "C" ${like} ${pattern} LIMIT ${maxTextMatches}
    ) AS match`;
  const statement = `
    WITH found AS MATERIALIZED (${found})
    SELECT ${columns('score DESC, id DESC')}, score, (SELECT count(*) FROM found)::float8 AS total
      FROM (SELECT * FROM found ORDER BY score DESC, id DESC LIMIT ${bind(limit)}) AS shown
     ORDER BY score DESC, id DESC`;
  const name = `memory_rank_text_${like}_${scopeName(scope)}`;
  return rankingOf(await database.run<PageRow<FoundRow>>({ name, text: statement }, values));
}

const maxTextMatches = 200;

/** Avoids `left` for short contents, because counting characters takes longer than searching them. */
const beginning = `CASE WHEN octet_length(content) > 10000 THEN left(content, 10000) ELSE content END`;

/** The content is null beyond `maxContentBytes`. */
type FoundRow = Omit<MemoryMatch, 'content'> & { content: string | null };

/** The maximum total size of the contents that are read. The first content is always read. */
const maxContentBytes = 1_000_000;

const columns = (order: string) => `
  id, role, session_id AS "sessionId", user_id AS "userId", request_id AS "requestId", created_at AS "createdAt",
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

/**
 * Ranks by coverage, the share of the query that an entry matches. A rare word counts more than a frequent one, and a similar word
 * less than an exact one. Density refines the score.
 */
export async function rankByWords(
  database: Queryable,
  scope: MemoryScope,
  { words, limit: count }: { words: readonly QueryWord[]; limit: number },
): Promise<Ranking> {
  const { values, bind } = parameters();
  const limit = bind(count);
  const exact = words.map(({ word }) => quoted(word));
  const near = words.map(({ similar }) => similar.map(quoted).join(' | ') || null);
  const either = words.map(
    ({ word, similar }) => `(${[word, ...similar].map(quoted).join(' | ')})`,
  );
  const strengths = words.map(({ similarity }) => 0.4 + similarity / 2);
  const any = `${bind(either.join(' | '))}::tsquery`;
  const all = `${bind(either.join(' & '))}::tsquery`;
  const isRare = (query: string) =>
    `(SELECT count(*) FROM recent WHERE search @@ ${query}) < ${limit}`;
  const text = `
    WITH term AS MATERIALIZED (
      SELECT n, exact::tsquery, near::tsquery, either::tsquery, strength
        FROM unnest(${bind(exact)}::text[], ${bind(near)}::text[], ${bind(either)}::text[], ${bind(strengths)}::float8[])
             WITH ORDINALITY AS word (exact, near, either, strength, n)
    ), newest AS MATERIALIZED (
      SELECT id, search, sum(pg_column_size(search)) OVER (ORDER BY id DESC ROWS UNBOUNDED PRECEDING) AS bytes
        FROM (${newestEntries(scope, maxNewest, bind)}) AS entry
    ), recent AS MATERIALIZED (
      SELECT id, search FROM newest WHERE bytes <= ${maxNewestBytes} AND search @@ ${any}
    ), rare AS MATERIALIZED (
      SELECT query FROM (
        SELECT exact AS query FROM term WHERE ${isRare('exact')}
        UNION
        SELECT near FROM term WHERE near IS NOT NULL AND ${isRare('near')}
        UNION
        SELECT ${all} WHERE ${isRare(all)} AND NOT EXISTS (SELECT FROM term WHERE ${isRare('either')})) AS lookup
       WHERE ${hasOlder(scope)}
    ), found AS MATERIALIZED (
      SELECT id, search FROM recent
      UNION ALL
      SELECT DISTINCT ON (older.id) older.id, older.search
        FROM rare CROSS JOIN LATERAL (${indexedEntries(scope, 'rare.query', maxIndexed(count), bind)}) AS older
       WHERE older.id NOT IN (SELECT id FROM recent)
    ), matched AS MATERIALIZED (
      SELECT found.id, entry.density, term.n, CASE WHEN entry.search @@ exact THEN 1 ELSE strength END AS strength
        FROM found
       CROSS JOIN LATERAL (
         SELECT search, ts_rank(search, ${any}, 1 | 32) AS density
           FROM (SELECT found.search || ''::tsvector AS search OFFSET 0) AS read -- reads a long vector only once
         OFFSET 0) AS entry
       CROSS JOIN term
       WHERE entry.search @@ exact OR entry.search @@ near
    ), weighted AS MATERIALIZED (
      SELECT term.n, ln(2 + ${maxNewest}.0 / (1 + count(matched.id))) AS weight
        FROM term LEFT JOIN matched USING (n) GROUP BY term.n
    ), covered AS (
      SELECT id, density, sum(strength * weight) / (SELECT sum(weight) FROM weighted) AS coverage
        FROM matched JOIN weighted USING (n) GROUP BY id, density
    ), best AS MATERIALIZED (
      SELECT id, least(1, 0.9 * coverage + 0.1 * density)::float8 AS score
        FROM covered ORDER BY score DESC, id DESC LIMIT ${limit}
    )
    ${pageWithTotal(
      `score, ${columns('score DESC, id DESC')}`,
      `SELECT least(count(*), ${maxMatches})::float8 AS total FROM found`,
      `SELECT * FROM best JOIN memory_entries USING (id)
        WHERE account_id = ${bind(scope.accountId)} AND agent_id = ${bind(scope.memoryId)}`,
      'score DESC, id DESC',
    )}`;
  const name = `memory_rank_words_${scopeName(scope)}`;
  return rankingOf(await database.run<PageRow<FoundRow>>({ name, text }, values));
}

/** Whether there are older entries than the newest. If cleared entries were excluded, their number is unknown, so there may be. */
function hasOlder({ cleared }: MemoryScope): string {
  if (cleared.length > 0) return 'true';
  return `(SELECT count(*) = ${maxNewest} OR max(bytes) > ${maxNewestBytes} FROM newest)`;
}

/** Quotes a lexeme for a text query, so that it is not normalised again. */
const quoted = (word: string) => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** Selects the newest entries that match the query, newest first. */
function indexedEntries(scope: MemoryScope, query: string, count: number, bind: Bind): string {
  const limit = bind(count);
  const since = bind(lowestIdAt('mem', new Date(currentTime() - recentDays * 86_400_000)));
  const conditions = inScope(scope, bind).map(({ column, value }) => `${column} = ${value}`);
  // OFFSET 0 prevents the planner from reading all entries in order until enough of them match.
  const newestOf = (range: string) => {
    const where = [...conditions, range, `search @@ ${query}`].join(' AND ');
    const matches = excludeCleared(
      scope,
      `SELECT * FROM memory_entries WHERE ${where} OFFSET 0`,
      bind,
    );
    return `(SELECT id, search FROM (${matches}) AS entry ORDER BY id DESC LIMIT ${limit})`;
  };
  // The second part does not run if the first reaches the limit.
  return `
    SELECT * FROM (${newestOf(`id >= ${since}`)} UNION ALL ${newestOf(`id < ${since}`)}) AS entry LIMIT ${limit}`;
}

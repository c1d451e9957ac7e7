/**
 * Finds and ranks the memory entries that match words, or that contain a text if the query has no indexable words.
 * Why SQL: full-text search, trigrams and ranking, which Prisma does not support.
 *
 * The cost does not grow with the history: a search looks at the newest entries, and at those that an index scan finds for
 * rare words or for a user.
 */
import type { MemoryRole } from '../../../generated/prisma/enums.js';
import type { Queryable } from '../connection.js';
import { pageOf, type PageRow } from '../page.js';
import { queryOf, type SearchWord, stepsOf } from '../search-words.js';
import {
  type Bind,
  indexedEntries,
  type MemoryScope,
  newestEntries,
  pageWithTotal,
  parameters,
  scopeName,
} from './fragments.js';

export interface MemoryLookup {
  words: SearchWord[];
  /** Search this many of the newest entries … */
  newest?: number;
  /** … by looking for any of these among them in the index, which skips entries without. If not given, all of them are read. */
  newestWith?: readonly string[];
  /** Search this many entries of the user, any of them. */
  ofUser?: number;
  /** Search the whole history for entries with any of these. */
  anyOf?: readonly string[];
  /** Not of the whole history, but from this id on. */
  anyOfSince?: string | undefined;
  /** Search the whole history for entries with all of these. */
  allOf?: readonly string[];
  limit: number;
}

export interface Ranked {
  id: string;
  /** From 0 to 1. */
  score: number;
}

/** A memory entry as it is shown. */
export interface StoredMemory {
  id: string;
  content: string;
  role: MemoryRole;
  sessionId: string | null;
  userId: string | null;
  requestId: string;
  createdAt: Date;
}

/** One whose content may be long, and is then still to be read. */
export interface FoundMemory extends Omit<StoredMemory, 'content'> {
  content: string | null;
  /** Of its content. */
  bytes: number;
}

export type MemoryMatch = FoundMemory & Ranked;

export interface Ranking {
  /** Best first. */
  matches: MemoryMatch[];
  /** At most `maxMatches`. */
  total: number;
}

export const maxMatches = 1_000;

/** How many matches among the newest entries are ranked: further ones are older and rarely better. */
const maxOfNewest = 200;

/** A safeguard in case words are less rare than estimated. */
const maxFetched = 5_000;

/** So many of the best are compared by density, the newest of those that are as good. */
export const comparedByDensity = 30;

/** `compared` is how many entries the lookup found, whether they match or not. */
export async function rankByWords(
  database: Queryable,
  scope: MemoryScope,
  lookup: MemoryLookup,
): Promise<Ranking & { compared: number }> {
  const { values, ...statement } = rankingStatement(scope, lookup);
  const rows = await database.run<Row & { compared: number }>(statement, values);
  return { ...rankingOf(rows), compared: rows[0]?.compared ?? 0 };
}

/**
 * For a query without indexable words, so of stop words and signs: finds the newest entries that contain the text verbatim.
 * Stop words are ASCII: with the case of ASCII alone an entry is compared in half the time, and signs have none.
 */
export async function rankByText(
  database: Queryable,
  scope: MemoryScope,
  text: string,
  { newest, limit }: { newest: number; limit: number },
): Promise<Ranking> {
  const { values, bind } = parameters();
  const pattern = bind(`%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
  const like = /[a-z]/i.test(text) ? 'ILIKE' : 'LIKE';
  const found = `
    SELECT *, word_similarity(${bind(text)}, left(content, 1000))::float8 AS score FROM (
      SELECT * FROM (${newestEntries(scope, newest, bind)}) AS entry
       WHERE ${beginning} COLLATE "C" ${like} ${pattern} LIMIT ${maxOfNewest}
    ) AS match`;
  const statement = `
    WITH found AS MATERIALIZED (${found})
    SELECT ${columns}, score, (SELECT count(*) FROM found)::float8 AS total
      FROM (SELECT * FROM found ORDER BY score DESC, id DESC LIMIT ${bind(limit)}) AS shown
     ORDER BY score DESC, id DESC`;
  const name = `memory_rank_text_${like}_${scopeName(scope)}`;
  return rankingOf(await database.run<Row>({ name, text: statement }, values));
}

/** Characters take longer to count than most contents to search. */
const beginning = `CASE WHEN octet_length(content) > 10000 THEN left(content, 10000) ELSE content END`;

type Row = PageRow<MemoryMatch>;

/** Contents that are longer together are read only when there is room for them. */
const maxShortBytes = 500_000;
const shortContents = `CASE WHEN sum(octet_length(content)) OVER () <= ${maxShortBytes} THEN content END AS content`;

const columns = `
  id, octet_length(content) AS bytes, ${shortContents}, role, session_id AS "sessionId", user_id AS "userId",
  request_id AS "requestId", created_at AS "createdAt"`;

/** Returns the entries that still exist, in any order. */
export function findMemories(
  database: Queryable,
  memoryId: string,
  ids: readonly string[],
): Promise<FoundMemory[]> {
  const text = `SELECT ${columns} FROM memory_entries WHERE agent_id = $1 AND id = ANY ($2::text[])`;
  return database.run<FoundMemory & object>({ name: 'memory_find', text }, [memoryId, ids]);
}

/** The contents of the entries that still exist, by their ids. */
export async function readContents(
  database: Queryable,
  memoryId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const text = `SELECT id, content FROM memory_entries WHERE agent_id = $1 AND id = ANY ($2::text[])`;
  const found = await database.run<{ id: string; content: string }>({ name: 'memory_read', text }, [
    memoryId,
    ids,
  ]);
  return new Map(found.map(({ id, content }) => [id, content]));
}

function rankingOf(rows: Row[]): Ranking {
  const { items, total } = pageOf(rows);
  return { matches: items, total };
}

// Ranks by coverage, the weighted share of the query that an entry matches. Density refines the score of the best.
function rankingStatement(scope: MemoryScope, { words, limit: count, ...lookup }: MemoryLookup) {
  const { values, bind } = parameters();
  const wanted = `${bind(queryOf(words))}::tsquery`;
  const sources = sourcesOf(scope, lookup, wanted, bind);
  const memory = bind(scope.memoryId);
  const limit = bind(count);
  const steps = stepsOf(words);
  // Filled up with steps that add nothing, so that not every number of words is a statement of its own.
  const places = 2 ** Math.ceil(Math.log2(steps.length));
  const coverage = Array.from({ length: places }, (_, place) => {
    const { query, worth } = steps[place] ?? { query: '', worth: 0 };
    return `CASE WHEN search @@ ${bind(query)}::tsquery THEN ${bind(worth)}::float8 ELSE 0 END`;
  });
  const counted = `
    SELECT least(count(*) FILTER (WHERE coverage > 0), ${maxMatches})::float8 AS total, count(*)::int AS compared FROM found`;
  const shown = `SELECT * FROM shown JOIN memory_entries USING (id) WHERE agent_id = ${memory}`;
  const text = `
    WITH ${sources.map(({ name, query }) => `${name} AS (${query})`).join(', ')}, found AS MATERIALIZED (
      SELECT id, search, ${coverage.join(' + ')} AS coverage
        FROM (${unionOf(sources.map(({ name }) => name))}) AS source
       WHERE agent_id = ${memory} ${scope.userId === undefined ? '' : `AND user_id = ${bind(scope.userId)}`}
    ), best AS MATERIALIZED (
      SELECT * FROM found WHERE coverage > 0
       ORDER BY coverage DESC, id DESC LIMIT greatest(${limit}, ${comparedByDensity})
    ), shown AS MATERIALIZED (
      SELECT id, least(1, 0.9 * coverage + 0.1 * ts_rank(search, ${wanted}, 1 | 32))::float8 AS score
        FROM best ORDER BY score DESC, id DESC LIMIT ${limit}
    )
    ${pageWithTotal(`compared, score, ${columns}`, counted, shown, 'score DESC, id DESC')}`;
  const shape = [...sources.map(({ name }) => name), places, scopeName(scope)];
  return { name: `memory_rank_${shape.join('_')}`, text, values };
}

/** An entry that several sources have is taken from the first. */
function unionOf(sources: readonly string[]): string {
  const parts = sources.map((source, index) => {
    const others = sources.slice(0, index).map((other) => `id NOT IN (SELECT id FROM ${other})`);
    return `SELECT * FROM ${source} WHERE ${['true', ...others].join(' AND ')}`;
  });
  return parts.join(' UNION ALL ');
}

function sourcesOf(
  scope: MemoryScope,
  lookup: Omit<MemoryLookup, 'words' | 'limit'>,
  wanted: string,
  bind: Bind,
): { name: string; query: string }[] {
  const { newest = 0, newestWith, ofUser = 0, anyOf = [], allOf = [] } = lookup;
  const since = lookup.anyOfSince;
  const limit = maxFetched;
  const source = (isWanted: boolean, name: string, query: () => string) =>
    isWanted ? [{ name, query: query() }] : [];
  return [
    ...source(newest > 0 && newestWith === undefined, 'newest', () => {
      const entries = newestEntries(scope, newest, bind);
      return `SELECT * FROM (${entries}) AS entry WHERE search @@ ${wanted} LIMIT ${maxOfNewest}`;
    }),
    ...source(newest > 0 && newestWith !== undefined, 'recent', () => {
      const recent = { has: 'any', words: newestWith ?? [], limit, newest } as const;
      const entries = indexedEntries(scope, recent, bind);
      return `${entries} ORDER BY id DESC LIMIT ${maxOfNewest}`;
    }),
    ...source(ofUser > 0, 'of_user', () =>
      indexedEntries(scope, { has: 'all', words: [], limit: ofUser }, bind),
    ),
    ...source(anyOf.length > 0, since === undefined ? 'any_of' : 'any_of_since', () =>
      indexedEntries(scope, { has: 'any', words: anyOf, limit, since }, bind),
    ),
    ...source(allOf.length > 0, 'all_of', () =>
      indexedEntries(scope, { has: 'all', words: allOf, limit }, bind),
    ),
  ];
}

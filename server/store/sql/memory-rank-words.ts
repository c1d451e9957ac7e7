/**
 * Finds and ranks the memory entries that match words, or that contain a text if the query has no indexable words.
 * Why SQL: full-text search, trigrams and ranking, which Prisma does not support.
 *
 * The cost does not grow with the history: a search reads the newest entries, and those that an index scan finds for rare
 * words.
 */
import type { MemoryRole } from '../../../generated/prisma/enums.js';
import type { Queryable } from '../connection.js';
import {
  type Bind,
  indexedEntries,
  type MemoryScope,
  newestEntries,
  parameters,
  scopeName,
} from './fragments.js';

/** A word to search for. Words with the same `term` are variants of one word of the query; the best match counts. */
export interface SearchWord {
  term: number;
  word: string;
  /** The quality of the variant, from 0 to 1. */
  strength: number;
  /** The weight of its term; the weights of all terms add up to 1. */
  weight: number;
}

export interface MemoryLookup {
  words: SearchWord[];
  /** Search this many of the newest entries. */
  newest: number;
  /** Search the whole history for entries with any of these. */
  anyOf: string[];
  /** Search the whole history for entries with all of these. */
  allOf: string[];
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

export type MemoryMatch = StoredMemory & Ranked;

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

const comparedByDensity = 50;

export async function rankByWords(
  database: Queryable,
  scope: MemoryScope,
  lookup: MemoryLookup,
): Promise<Ranking> {
  const { values, ...statement } = rankingStatement(scope, lookup);
  return rankingOf(await database.run<Row>(statement, values));
}

/** For a query without indexable words: finds the newest entries that contain the text verbatim. */
export async function rankByText(
  database: Queryable,
  scope: MemoryScope,
  text: string,
  { newest, limit }: { newest: number; limit: number },
): Promise<Ranking> {
  const { values, bind } = parameters();
  const needle = bind(text);
  const statement = `
    SELECT ${columns}, word_similarity(${needle}, left(content, 1000))::float8 AS score, ${total}
      FROM (${newestEntries(scope, newest, bind)}) AS entry
     WHERE strpos(lower(left(content, 10000)), lower(${needle})) > 0
     ORDER BY score DESC, id DESC LIMIT ${bind(limit)}`;
  const name = `memory_rank_text_${scopeName(scope)}`;
  return rankingOf(await database.run<Row>({ name, text: statement }, values));
}

type Row = MemoryMatch & { total: number };

const columns = `
  id, content, role, session_id AS "sessionId", user_id AS "userId", request_id AS "requestId", created_at AS "createdAt"`;

const total = `least(count(*) OVER (), ${maxMatches})::float8 AS total`;

function rankingOf(rows: Row[]): Ranking {
  return { matches: rows.map(({ total: _, ...match }) => match), total: rows[0]?.total ?? 0 };
}

// Words are lexemes already, so they are quoted and cast to tsquery without normalisation.
const quoted = String.raw`('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''')::tsquery`;

// Ranks by coverage, the weighted share of the query that an entry matches. Density refines the score of the best.
function rankingStatement(scope: MemoryScope, lookup: MemoryLookup) {
  const { values, bind } = parameters();
  const sources = sourcesOf(scope, lookup, bind);
  const limit = bind(lookup.limit);
  const memory = bind(scope.memoryId);
  const text = `
    WITH word AS MATERIALIZED (
      SELECT term, weight * strength AS worth, ${quoted} AS query
        FROM json_to_recordset(${bind(JSON.stringify(lookup.words))}::json)
             AS wanted (term int, word text, strength float8, weight float8)
    ), wanted AS MATERIALIZED (
      SELECT string_agg(query::text, ' | ')::tsquery AS query FROM word
    ), ${sources.map(({ name, query }) => `${name} AS MATERIALIZED (${query})`).join(', ')}, hit AS (
      SELECT id, term, max(worth) AS worth
        FROM (${sources.map(({ name }) => `SELECT * FROM ${name}`).join(' UNION ALL ')}) AS found
        JOIN word ON found.search @@ word.query
       WHERE agent_id = ${memory}
             ${scope.userId === undefined ? '' : `AND user_id = ${bind(scope.userId)}`}
       GROUP BY id, term
    ), best AS MATERIALIZED (
      SELECT id, sum(worth) AS coverage, ${total} FROM hit
       GROUP BY id ORDER BY coverage DESC, id DESC LIMIT greatest(${limit}, ${comparedByDensity})
    )
    SELECT ${columns}, total, least(1, 0.9 * coverage + 0.1 * ts_rank(search, (SELECT query FROM wanted), 1 | 32))::float8
           AS score
      FROM best JOIN memory_entries USING (id) WHERE agent_id = ${memory}
     ORDER BY score DESC, id DESC LIMIT ${limit}`;
  const name = ['memory_rank', ...sources.map((source) => source.name), scopeName(scope)].join('_');
  return { name, text, values };
}

function sourcesOf(
  scope: MemoryScope,
  { newest, anyOf, allOf }: MemoryLookup,
  bind: Bind,
): { name: string; query: string }[] {
  const limit = maxFetched;
  const among = (entries: string) => `
    SELECT id, agent_id, user_id, search FROM (${entries}) AS entry
     WHERE search @@ (SELECT query FROM wanted) LIMIT ${maxOfNewest}`;
  const indexed = (has: 'any' | 'all', words: string[]) =>
    indexedEntries(scope, { has, words, limit }, bind);
  return [
    ...(newest === 0 ? [] : [{ name: 'newest', query: among(newestEntries(scope, newest, bind)) }]),
    ...(anyOf.length === 0 ? [] : [{ name: 'any_of', query: indexed('any', anyOf) }]),
    ...(allOf.length === 0 ? [] : [{ name: 'all_of', query: indexed('all', allOf) }]),
  ];
}

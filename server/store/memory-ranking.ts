/**
 * Finds the entries of a memory that fit words, and ranks them. However long the history is, only so many entries are
 * looked at: the newest ones, and those that an index names for words of which there are few.
 */
import { indexedEntries, type MemoryScope, newestEntries, scopeName } from './memory-scope.js';
import { parameters, type Sql } from './sql.js';

/** A word to look for. Words with the same `term` stand for the same word of the query; the best that fits counts. */
export interface WantedWord {
  term: number;
  word: string;
  /** How good a match it is, from 0 to 1. */
  strength: number;
  /** How much its term counts; all terms together 1. */
  weight: number;
}

export interface MemoryLookup {
  words: WantedWord[];
  /** Look through this many of the newest entries. */
  newest: number;
  /** Look up in the whole history every entry with one of these. */
  anyOf: string[];
  /** Look up in the whole history every entry with all of these. */
  allOf: string[];
  limit: number;
}

export interface Ranked {
  id: string;
  /** From 0 to 1. */
  score: number;
}

export interface Ranking {
  /** Best first. */
  matches: Ranked[];
  /** At most `maxMatches`. */
  total: number;
}

export const maxMatches = 1_000;

/** A guard, should words be less rare than was thought. */
const maxFetched = 5_000;

export async function rankByWords(
  sql: Sql,
  scope: MemoryScope,
  lookup: MemoryLookup,
): Promise<Ranking> {
  const { values, ...statement } = rankingStatement(scope, lookup);
  return rankingOf(await sql.run<Row>(statement, values));
}

/** For a query in which nothing counts as a word: the newest entries that hold the text as it is. */
export async function rankByText(
  sql: Sql,
  scope: MemoryScope,
  text: string,
  { newest, limit }: { newest: number; limit: number },
): Promise<Ranking> {
  const { values, bind } = parameters();
  const wanted = bind(text);
  const statement = `
    SELECT id, word_similarity(${wanted}, left(content, 1000))::float8 AS score, ${total}
      FROM (${newestEntries(scope, newest, bind)}) AS entry
     WHERE strpos(lower(left(content, 10000)), lower(${wanted})) > 0
     ORDER BY score DESC, id DESC LIMIT ${bind(limit)}`;
  const name = `memory_rank_text_${scopeName(scope)}`;
  return rankingOf(await sql.run<Row>({ name, text: statement }, values));
}

type Row = Ranked & { total: number };

const total = `least(count(*) OVER (), ${maxMatches})::float8 AS total`;

function rankingOf(rows: Row[]): Ranking {
  return { matches: rows.map(({ id, score }) => ({ id, score })), total: rows[0]?.total ?? 0 };
}

// A word is data, and stands in the tsquery as it is: it is in its basic form already.
const quoted = String.raw`('''' || replace(replace(word, '\', '\\'), '''', '''''') || '''')::tsquery`;

function rankingStatement(scope: MemoryScope, lookup: MemoryLookup) {
  const { values, bind } = parameters();
  const sources = sourcesOf(scope, lookup, bind);
  const text = `
    WITH word AS MATERIALIZED (
      SELECT term, weight, strength, ${quoted} AS query
        FROM json_to_recordset(${bind(JSON.stringify(lookup.words))}::json)
             AS wanted (term int, word text, strength float8, weight float8)
    ), wanted AS MATERIALIZED (
      SELECT string_agg(query::text, ' | ')::tsquery AS query FROM word
    ), ${Object.entries(sources)
      .map(([name, query]) => `${name} AS MATERIALIZED (${query})`)
      .join(', ')}, candidate AS (
      SELECT DISTINCT ON (id) id, search
        FROM (${Object.keys(sources)
          .map((name) => `SELECT id, agent_id, user_id, search FROM ${name}`)
          .join(' UNION ALL ')}) AS found
       WHERE agent_id = ${bind(scope.agentId)}
             ${scope.userId === undefined ? '' : `AND user_id = ${bind(scope.userId)}`}
    ), scored AS (
      SELECT id, ts_rank(search, (SELECT query FROM wanted), 1 | 32) AS density, (
               SELECT sum(best) FROM (
                 SELECT max(weight * strength) AS best FROM word WHERE candidate.search @@ word.query GROUP BY term
               ) AS hit
             ) AS coverage
        FROM candidate
    )
    SELECT id, least(1, 0.9 * coverage + 0.1 * density)::float8 AS score, ${total}
      FROM scored WHERE coverage > 0
     ORDER BY score DESC, id DESC LIMIT ${bind(lookup.limit)}`;
  const name = ['memory_rank', ...Object.keys(sources), scopeName(scope)].join('_');
  return { name, text, values };
}

function sourcesOf(
  scope: MemoryScope,
  { newest, anyOf, allOf }: MemoryLookup,
  bind: Parameters<typeof newestEntries>[2],
): Record<string, string> {
  const limit = maxFetched;
  return {
    ...(newest > 0 && {
      newest: `
        SELECT id, agent_id, user_id, search FROM (${newestEntries(scope, newest, bind)}) AS entry
         WHERE search @@ (SELECT query FROM wanted)
         LIMIT ${maxMatches}`,
    }),
    ...(anyOf.length > 0 && {
      any_of: indexedEntries(scope, { has: 'any', words: anyOf, limit }, bind),
    }),
    ...(allOf.length > 0 && {
      all_of: indexedEntries(scope, { has: 'all', words: allOf, limit }, bind),
    }),
  };
}

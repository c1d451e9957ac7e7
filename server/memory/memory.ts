/** The rules for searching and clearing an agent's memory. */
import type { AgentReference, MemorySearch } from '../../generated/api.js';
import type { Database, Queryable } from '../postgres/database.js';
import { deleteEntriesOfUser, replaceMemory } from './clearing.js';
import { findAgentMemory, type MemoryScope } from './scope.sql.js';
import * as store from './search.sql.js';
import { getAgent } from '../agents/agents.js';
import { logAgentChange } from '../agents/changes.js';
import {
  agentNotFound,
  requireVisible,
  type Caller,
  type RequestContext,
  userOf,
} from '../accounts/caller.js';
import type { SemanticSearch } from './semantic-search.js';
import type { Page } from '../contract/page.js';

/** How many entries of each ranking are fused, even if fewer results are requested. */
const fusionDepth = 50;

export interface SearchParts {
  database: Database;
  /** Undefined if memory is searched by words only. */
  semanticSearch: SemanticSearch | undefined;
}

export async function searchMemory(
  parts: SearchParts,
  { caller }: { caller: Caller },
  reference: AgentReference,
  { query, limit, filter }: MemorySearch,
): Promise<Page<store.MemoryMatch>> {
  const userId = userOf(caller, filter?.user_id, 'filter.user_id');
  const found = await findAgentMemory(parts.database, caller.accountId, reference);
  const memory = requireVisible(found, caller, reference);
  return rankMemory(parts, { ...memory, userId, sessionId: filter?.session_id }, { query, limit });
}

/** Returns the entries of the scope that fit the query best. */
export async function rankMemory(
  { database, semanticSearch }: SearchParts,
  scope: MemoryScope,
  { query, limit }: Pick<MemorySearch, 'query' | 'limit'>,
): Promise<Page<store.MemoryMatch>> {
  const searches = database.searches(scope.accountId);
  const depth = semanticSearch ? Math.max(limit, fusionDepth) : limit;
  const [byWords, vector] = await Promise.all([
    store.searchText(searches, scope, query, depth),
    semanticSearch?.embedQuery(query),
  ]);
  if (!semanticSearch || !vector)
    return { items: byWords.matches.slice(0, limit), total: byWords.total };
  const byEmbedding = await semanticSearch.rank(searches, scope, vector, {
    alsoIds: byWords.matches.map(({ id }) => id),
    limit: depth,
  });
  const fused = fuse(byWords.matches, byEmbedding);
  return {
    items: await entriesOf(searches, scope, fused.slice(0, limit), byWords.matches),
    // Plus the entries that only the semantic search found.
    total: byWords.total + fused.length - byWords.matches.length,
  };
}

/** Returns the entries in the order of the ranking, and looks up those that are not in `known`. */
async function entriesOf(
  searches: Queryable,
  scope: MemoryScope,
  ranking: readonly store.Ranked[],
  known: readonly store.StoredMemory[],
): Promise<store.MemoryMatch[]> {
  const byId = new Map(known.map((entry) => [entry.id, entry]));
  const missing = ranking.map(({ id }) => id).filter((id) => !byId.has(id));
  for (const entry of await store.findMemories(searches, scope, missing)) {
    byId.set(entry.id, entry);
  }
  return ranking.flatMap(({ id, score }) => {
    const entry = byId.get(id);
    return entry ? [{ ...entry, score }] : [];
  });
}

/** Clears all entries, or only those of a token's user, and returns their number. */
export async function clearMemory(
  database: Database,
  { caller, requestId }: RequestContext,
  reference: AgentReference,
): Promise<number> {
  const { id: agentId } = await getAgent(database, caller, reference);
  const { accountId, userId } = caller;
  const agent = { accountId, agentId };
  const deleted =
    userId === null ? undefined : await deleteEntriesOfUser(database, { ...agent, userId });
  return database.transaction(async (transaction) => {
    const cleared = deleted ?? (await replaceMemory(transaction, agent));
    if (cleared === undefined) throw agentNotFound(reference);
    const message = `Memory cleared: ${cleared} ${cleared === 1 ? 'entry' : 'entries'}.`;
    await logAgentChange(transaction, { ...agent, requestId, message, metadata: { cleared } });
    return cleared;
  });
}

/** Limits the advantage of the first ranks. 60 is the usual value. */
const fusionConstant = 60;

/** Reciprocal rank fusion: entries that rank high in both come first. An entry that is first in both has the score 1. */
function fuse(one: readonly store.Ranked[], other: readonly store.Ranked[]): store.Ranked[] {
  const scores = new Map<string, number>();
  for (const ranking of [one, other]) {
    for (const [rank, { id }] of ranking.entries()) {
      const share = (fusionConstant + 1) / (fusionConstant + 1 + rank) / 2;
      scores.set(id, (scores.get(id) ?? 0) + share);
    }
  }
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1));
}

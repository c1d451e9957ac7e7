/** Searches and clears the memory of an agent. */
import { randomUUID } from 'node:crypto';
import type { AgentReference, MemorySearch } from '../../generated/api.js';
import {
  agentNotFound,
  requireVisible,
  type Caller,
  type RequestContext,
  userOf,
} from '../accounts/caller.js';
import { getAgent } from '../agents/agents.js';
import { logAgentChange } from '../agents/changes.js';
import { environmentFilter } from '../contract/environments.js';
import type { Page } from '../contract/page.js';
import { takeTransactionLock } from '../postgres/advisory-lock.sql.js';
import type { Database, Queryable, Transaction } from '../postgres/database.js';
import { schedulePurges } from '../postgres/retention/purges.js';
import { deleteUserEntries } from './delete.sql.js';
import { findAgentMemory, type MemoryScope } from './scope.sql.js';
import {
  findMemories,
  type MemoryMatch,
  type Ranked,
  searchText,
  type StoredMemory,
} from './search.sql.js';
import type { SemanticSearch } from './semantic-search.js';

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
): Promise<Page<MemoryMatch>> {
  const userId = userOf(caller, filter?.user_id, 'filter.user_id');
  const found = await findAgentMemory(parts.database, caller.accountId, reference);
  const memory = requireVisible(found, caller, reference);
  const sessionId = filter?.session_id;
  const environment = environmentFilter(filter?.environment);
  return rankMemory(parts, { ...memory, userId, sessionId, environment }, { query, limit });
}

/** Returns the entries of the scope that fit the query best. */
export async function rankMemory(
  { database, semanticSearch }: SearchParts,
  scope: MemoryScope,
  { query, limit }: Pick<MemorySearch, 'query' | 'limit'>,
): Promise<Page<MemoryMatch>> {
  const searches = database.searches(scope.accountId);
  const depth = semanticSearch ? Math.max(limit, fusionDepth) : limit;
  const [byWords, vector] = await Promise.all([
    searchText(searches, scope, query, depth),
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
  ranking: readonly Ranked[],
  known: readonly StoredMemory[],
): Promise<MemoryMatch[]> {
  const byId = new Map(known.map((entry) => [entry.id, entry]));
  const missing = ranking.map(({ id }) => id).filter((id) => !byId.has(id));
  for (const entry of await findMemories(searches, scope, missing)) {
    byId.set(entry.id, entry);
  }
  return ranking.flatMap(({ id, score }) => {
    const entry = byId.get(id);
    return entry ? [{ ...entry, score }] : [];
  });
}

/** Limits the advantage of the first ranks. 60 is the usual value. */
const fusionConstant = 60;

/** Reciprocal rank fusion: entries that rank high in both come first. An entry that is first in both has the score 1. */
function fuse(one: readonly Ranked[], other: readonly Ranked[]): Ranked[] {
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

interface AgentKey {
  accountId: string;
  agentId: string;
}

/**
 * Gives the agent a new, empty memory; a background task deletes the entries of the current one. Returns their number, or undefined if
 * there is no such agent. An entry that is written at the same time may be cleared or kept. Keeps `updatedAt`, because clearing does not
 * change the agent.
 */
export async function replaceMemory(
  transaction: Transaction,
  { accountId, agentId }: AgentKey,
): Promise<number | undefined> {
  const { prisma } = transaction;
  await lockMemory(transaction, agentId);
  const agent = await prisma.agent.findUnique({
    where: { id: agentId, accountId },
    select: { name: true, memoryId: true, updatedAt: true },
  });
  if (!agent) return undefined;
  const { name, updatedAt } = agent;
  const ownerId = agent.memoryId ?? agentId;
  const entries = await prisma.memoryEntry.count({ where: { accountId, agentId: ownerId } });
  if (entries === 0) return 0;
  const memoryId = `${agentId}.${randomUUID()}`;
  await prisma.agent.updateMany({ where: { id: agentId }, data: { memoryId, updatedAt } });
  await schedulePurges(transaction, accountId, [{ table: 'memory_entries', ownerId, name }]);
  return entries;
}

/**
 * Deletes the entries of a user, in transactions of up to `batch` entries, and returns their number. If it is interrupted, a repeat
 * deletes the rest.
 */
export async function deleteEntriesOfUser(
  database: Database,
  { accountId, agentId, userId, batch = 2_000 }: AgentKey & { userId: string; batch?: number },
): Promise<number> {
  let total = 0;
  let deleted: number;
  do {
    deleted = await database.transaction(async (transaction) => {
      await lockMemory(transaction, agentId);
      const agent = await transaction.prisma.agent.findUnique({
        where: { id: agentId, accountId },
        select: { memoryId: true },
      });
      if (!agent) return 0;
      const memory = { accountId, memoryId: agent.memoryId ?? agentId };
      return deleteUserEntries(transaction, memory, userId, batch);
    });
    total += deleted;
  } while (deleted > 0);
  return total;
}

/** Makes simultaneous clearings wait for each other, so that each entry is counted once, and none answers before all are deleted. */
function lockMemory(transaction: Transaction, agentId: string): Promise<void> {
  return takeTransactionLock(transaction, `memory ${agentId}`);
}

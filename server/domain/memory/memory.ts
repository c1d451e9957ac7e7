/** The rules for an agent's memory: what a search finds in it, and forgetting it. */
import type { AgentReference, MemorySearch } from '../../../generated/api.js';
import { newId } from '../../lib/typeid.js';
import type { Database, Transaction } from '../../store/database.js';
import { insertLogEntries } from '../../store/log-entries.js';
import * as store from '../../store/memory.js';
import { getAgent } from '../agents/agents.js';
import { agentNotFound, type RequestContext, type Caller } from '../caller.js';
import { fuse } from './rank-fusion.js';
import type { SemanticSearch } from './semantic-search.js';
import { searchWords } from './word-search.js';
import type { Page } from '../page.js';

export interface MemoryMatch extends store.StoredMemory {
  /** From 0 to 1. */
  score: number;
}

/** How far down two rankings are compared, even if fewer results are wanted. */
const fusedPlaces = 50;

export async function searchMemory(
  database: Database,
  semanticSearch: SemanticSearch | undefined,
  caller: Caller,
  reference: AgentReference,
  { query, limit, filter }: MemorySearch,
): Promise<Page<MemoryMatch>> {
  const { id: agentId } = await getAgent(database, caller, reference);
  const scope = { agentId, userId: filter?.user_id, sessionId: filter?.session_id };
  const places = semanticSearch ? Math.max(limit, fusedPlaces) : limit;
  const [byWords, vector] = await Promise.all([
    searchWords(database, scope, query, places),
    semanticSearch?.embedQuery(query),
  ]);
  let ranking: store.Ranking = byWords;
  if (semanticSearch && vector) {
    const also = byWords.matches.map(({ id }) => id);
    const byEmbedding = await semanticSearch.rank(scope, vector, { also, limit: places });
    ranking = together(byWords, fuse(byWords.matches, byEmbedding));
  }
  return pageOf(database, { ...ranking, matches: ranking.matches.slice(0, limit) });
}

function together(byWords: store.Ranking, matches: store.Ranked[]): store.Ranking {
  const added = matches.length - byWords.matches.length;
  return { matches, total: Math.min(store.maxMatches, byWords.total + added) };
}

async function pageOf(
  database: Database,
  { matches, total }: store.Ranking,
): Promise<Page<MemoryMatch>> {
  if (matches.length === 0) return { items: [], total };
  const entries = await store.findMemories(
    database,
    matches.map(({ id }) => id),
  );
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const items = matches.flatMap(({ id, score }) => {
    const entry = byId.get(id);
    return entry ? [{ ...entry, score }] : [];
  });
  return { items, total };
}

const clearedAtOnce = 10_000;

/**
 * Forgets what the agent remembers by now, and returns how much that was. A large memory goes in several transactions,
 * so that none is long; the last one notes the whole in the log.
 */
export async function clearMemory(
  database: Database,
  { caller, requestId }: RequestContext,
  reference: AgentReference,
): Promise<number> {
  const { id: agentId } = await getAgent(database, caller, reference);
  const forgetting = { agentId, through: newId('mem'), batch: clearedAtOnce };
  let cleared = 0;
  for (;;) {
    const before = cleared;
    const deleted = await database.transaction(async (transaction) => {
      const number = await store.deleteMemories(transaction, forgetting);
      if (number === undefined) throw agentNotFound(reference);
      if (number < clearedAtOnce) {
        await store.deleteWords(transaction, agentId);
        await noteClearing(transaction, agentId, requestId, before + number);
      }
      return number;
    });
    cleared += deleted;
    if (deleted < clearedAtOnce) return cleared;
  }
}

async function noteClearing(
  transaction: Transaction,
  agentId: string,
  requestId: string,
  cleared: number,
): Promise<void> {
  const message = `Memory cleared: ${cleared} ${cleared === 1 ? 'entry' : 'entries'}.`;
  const metadata = { cleared };
  await insertLogEntries(transaction, [
    { id: newId('log'), agentId, at: new Date(), level: 'info', requestId, message, metadata },
  ]);
}

/** Semantic search of memory, if an embedding model is configured: ranks entries by their embeddings, and computes those. */
import { lowestIdAt } from '../lib/data/typeid.js';
import type { EmbeddingModel } from '../models/embedding.js';
import type { Database, Queryable } from '../postgres/database.js';
import {
  claimProgress,
  findUnembedded,
  type NewEmbedding,
  readProgress,
  saveEmbeddings,
  saveProgress,
  type UnembeddedEntry,
} from './embeddings.sql.js';
import { rankByEmbedding, usePgvector } from './rank-embeddings.sql.js';
import type { MemoryScope } from './scope.sql.js';
import type { Ranked } from './search.sql.js';

/** How many of the newest entries are compared with the query. */
const newestEntries = 2_000;

const batchSize = 64;
const backgroundTimeoutMs = 20_000;
const leaseMs = backgroundTimeoutMs + 10_000;
const searchTimeoutMs = 5_000;

/** How long after the time in its id an entry may become visible, because ids are generated before the commit. */
const settlingMs = 60_000;

export interface SemanticSearch {
  /** Resolves to undefined if the model fails, so that the search uses words only. */
  embedQuery: (query: string) => Promise<number[] | undefined>;
  rank: (
    searches: Queryable,
    scope: MemoryScope,
    vector: number[],
    options: { alsoIds: readonly string[]; limit: number },
  ) => Promise<Ranked[]>;
  /** Embeds the next batch of entries that have no embedding yet. Resolves to true if there are more. */
  embedNext: (signal: AbortSignal) => Promise<boolean>;
}

export async function createSemanticSearch(
  database: Database,
  model: EmbeddingModel,
  onError: (error: unknown) => void,
): Promise<SemanticSearch> {
  const hasPgvector = await usePgvector(database);
  return {
    async embedQuery(query) {
      try {
        const [vector] = await model.embed([query], AbortSignal.timeout(searchTimeoutMs));
        return vector;
      } catch (error) {
        onError(error);
        return undefined;
      }
    },
    rank: (searches, scope, vector, options) =>
      rankByEmbedding(searches, scope, {
        ...options,
        model: model.name,
        vector,
        newest: newestEntries,
        hasPgvector,
      }),
    embedNext: (signal) => embedNext(database, model, signal),
  };
}

// No transaction is open during the model call; a lease keeps other instances from embedding the same batch.
async function embedNext(
  database: Database,
  model: EmbeddingModel,
  signal: AbortSignal,
): Promise<boolean> {
  const progress = await readProgress(database, model.name);
  const entries = await findUnembedded(database, progress, batchSize);
  if (entries.length === 0) return false;
  const claimedAt = await claimProgress(database, progress, leaseMs);
  if (!claimedAt) return false;
  const settled = lowestIdAt('mem', new Date(claimedAt.getTime() - settlingMs));
  const embeddings = await embedAll(model, entries, signal).catch(async (error: unknown) => {
    await saveProgress(database, progress);
    throw error;
  });
  await saveEmbeddings(database, model.name, embeddings);
  await saveProgress(database, {
    model: model.name,
    through: advance(progress.through, entries.at(-1)?.id, settled),
  });
  return entries.length === batchSize;
}

async function embedAll(
  model: EmbeddingModel,
  entries: UnembeddedEntry[],
  signal: AbortSignal,
): Promise<NewEmbedding[]> {
  const texts = entries.map(({ text }) => text);
  const timeout = AbortSignal.timeout(backgroundTimeoutMs);
  const vectors = await model.embed(texts, AbortSignal.any([signal, timeout]));
  return entries.flatMap(({ accountId, memoryId, id }, index) => {
    const vector = vectors[index];
    return vector ? [{ accountId, memoryId, id, vector }] : [];
  });
}

/**
 * The new position, up to which everything is embedded. It never passes `settled`, since an open transaction may still
 * commit an entry with an id below the last one.
 */
function advance(position: string, last: string | undefined, settled: string): string {
  const reached = last === undefined || last > settled ? settled : last;
  return reached > position ? reached : position;
}

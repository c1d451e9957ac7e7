/** Searches memories by meaning, where an embedding model is configured, and keeps the vectors that this needs. */
import { lowestIdAt } from '../../lib/typeid.js';
import type { EmbeddingModel } from '../../runtime/embedding.js';
import type { Database } from '../../store/database.js';
import * as store from '../../store/memory-embeddings.js';
import { type MemoryScope, type Ranked, settlingMs } from '../../store/memory.js';

/** How many of the newest entries are compared. */
const newestEntries = 2_000;

const batch = 64;
const backgroundTimeoutMs = 20_000;
const leaseMs = backgroundTimeoutMs + 10_000;
const searchTimeoutMs = 5_000;

export interface SemanticSearch {
  /** The vector of a query; undefined if the model does not answer, and words must do. */
  embedQuery: (query: string) => Promise<number[] | undefined>;
  rank: (
    scope: MemoryScope,
    vector: number[],
    options: { also: readonly string[]; limit: number },
  ) => Promise<Ranked[]>;
  /** Embeds the next entries that have no vector yet. Whether more are waiting. */
  embedNext: (signal: AbortSignal) => Promise<boolean>;
}

export async function createSemanticSearch(
  database: Database,
  model: EmbeddingModel,
  onError: (error: unknown) => void,
): Promise<SemanticSearch> {
  const hasPgvector = await store.usePgvector(database);
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
    rank: (scope, vector, options) =>
      store.rankByEmbedding(database, scope, {
        ...options,
        model: model.name,
        vector,
        newest: newestEntries,
        hasPgvector,
      }),
    embedNext: (signal) => embedNext(database, model, signal),
  };
}

// No transaction is open while the model thinks; a lease keeps other instances from doing the same meanwhile.
async function embedNext(
  database: Database,
  model: EmbeddingModel,
  signal: AbortSignal,
): Promise<boolean> {
  const progress = await store.readProgress(database, model.name);
  const entries = await store.findUnembedded(database, progress, batch);
  if (entries.length === 0 || !(await store.claimProgress(database, progress, leaseMs))) {
    return false;
  }
  const settled = lowestIdAt('mem', new Date(Date.now() - settlingMs));
  const embeddings = await embedAll(model, entries, signal).catch(async (error: unknown) => {
    await store.saveProgress(database, progress);
    throw error;
  });
  await store.saveEmbeddings(database, model.name, embeddings);
  await store.saveProgress(database, {
    model: model.name,
    through: reached(progress.through, entries.at(-1)?.id, settled),
  });
  return entries.length === batch;
}

async function embedAll(
  model: EmbeddingModel,
  entries: { id: string; text: string }[],
  signal: AbortSignal,
): Promise<store.NewEmbedding[]> {
  const texts = entries.map(({ text }) => text);
  const patience = AbortSignal.timeout(backgroundTimeoutMs);
  const vectors = await model.embed(texts, AbortSignal.any([signal, patience]));
  return entries.flatMap(({ id }, index) => {
    const vector = vectors[index];
    return vector ? [{ id, vector }] : [];
  });
}

/** Behind what was embedded there is nothing left; but entries that have not settled yet may still be joined by others. */
function reached(before: string, last: string | undefined, settled: string): string {
  const now = last === undefined || last > settled ? settled : last;
  return now > before ? now : before;
}

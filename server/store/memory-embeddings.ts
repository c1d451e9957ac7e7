/** What entries of memories mean, as vectors of length 1 of one embedding model: kept, and compared. */
import type { Connection } from './connection.js';
import type { Database } from './database.js';
import { isReferenceMissing } from './errors.js';
import { objectOf } from './json.js';
import { signatureOf } from './sql/memory-rank-embeddings.js';
import type { Progress } from './sql/memory-unembedded.js';

export { type EmbeddingLookup, rankByEmbedding } from './sql/memory-rank-embeddings.js';
export { findUnembedded, type Progress } from './sql/memory-unembedded.js';
export { usePgvector } from './sql/pgvector-enable.js';

const key = 'memory_embeddings';

/** Vectors of another model are of no use, so with a new one everything is done anew. */
export async function readProgress({ prisma }: Connection, model: string): Promise<Progress> {
  const setting = await prisma.setting.findUnique({ where: { key } });
  const { model: known, through }: Partial<Progress> = objectOf(setting?.value ?? null) ?? {};
  return { model, through: known === model && through !== undefined ? through : '' };
}

/** Whether this instance is the one that goes on from there; false while another is at it. */
export async function claimProgress(
  { prisma }: Connection,
  progress: Progress,
  leaseMs: number,
): Promise<boolean> {
  const now = Date.now();
  const free = { ...progress, until: 0 };
  await prisma.setting.createMany({ data: { key, value: free }, skipDuplicates: true });
  const { count } = await prisma.setting.updateMany({
    where: { key, value: { path: ['until'], lte: now } },
    data: { value: { ...progress, until: now + leaseMs } },
  });
  return count === 1;
}

/** Lets anybody go on. */
export async function saveProgress({ prisma }: Connection, progress: Progress): Promise<void> {
  const value = { ...progress, until: 0 };
  await prisma.setting.upsert({ where: { key }, create: { key, value }, update: { value } });
}

export interface NewEmbedding {
  id: string;
  vector: number[];
}

/** In place of earlier ones. Those of entries that are gone by now are dropped. */
export async function saveEmbeddings(
  database: Database,
  model: string,
  embeddings: readonly NewEmbedding[],
): Promise<void> {
  const ids = embeddings.map(({ id }) => id);
  try {
    await database.transaction(async ({ prisma }) => {
      const entries = await prisma.memoryEntry.findMany({
        where: { id: { in: ids } },
        select: { id: true },
      });
      const present = new Set(entries.map(({ id }) => id));
      for (const { id, vector } of embeddings.filter((made) => present.has(made.id))) {
        const values = { model, embedding: vector, signature: signatureOf(vector) };
        await prisma.memoryEmbedding.upsert({
          where: { entryId: id },
          create: { entryId: id, ...values },
          update: values,
        });
      }
    });
  } catch (error) {
    if (!isReferenceMissing(error)) throw error;
    // Another entry was deleted since they were looked up.
    await saveEmbeddings(database, model, embeddings);
  }
}

/** Stores and compares the embeddings of memory entries: unit vectors of one embedding model. */
import type { Connection } from '../postgres/connection.js';
import { objectOf } from '../postgres/json.js';
import type { Progress } from './unembedded.sql.js';
import { currentTime } from '../../lib/time/clock.js';

export { type EmbeddingLookup, rankByEmbedding } from './rank-embeddings.sql.js';
export {
  findUnembedded,
  type NewEmbedding,
  type Progress,
  saveEmbeddings,
  type UnembeddedEntry,
} from './unembedded.sql.js';
export { usePgvector } from './pgvector.sql.js';

const key = 'memory_embeddings';

/** Starts over if the model has changed, because vectors of different models cannot be compared. */
export async function readProgress({ prisma }: Connection, model: string): Promise<Progress> {
  const setting = await prisma.setting.findUnique({ where: { key } });
  const { model: storedModel, through }: Partial<Progress> = objectOf(setting?.value ?? null) ?? {};
  return { model, through: storedModel === model && through !== undefined ? through : '' };
}

/** Acquires the lease for embedding; false while another instance holds it. */
export async function claimProgress(
  { prisma }: Connection,
  progress: Progress,
  leaseMs: number,
): Promise<boolean> {
  const now = currentTime();
  const free = { ...progress, until: 0 };
  await prisma.setting.createMany({ data: { key, value: free }, skipDuplicates: true });
  const { count } = await prisma.setting.updateMany({
    where: { key, value: { path: ['until'], lte: now } },
    data: { value: { ...progress, until: now + leaseMs } },
  });
  return count === 1;
}

/** Stores the progress and releases the lease. */
export async function saveProgress({ prisma }: Connection, progress: Progress): Promise<void> {
  const value = { ...progress, until: 0 };
  await prisma.setting.upsert({ where: { key }, create: { key, value }, update: { value } });
}

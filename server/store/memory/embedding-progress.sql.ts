/**
 * How far the memory entries are embedded, with a lease for the instance that embeds the next ones.
 * Why SQL: the lease expires by the database's clock, with which Prisma cannot compare.
 */
import type { Connection } from '../postgres/connection.js';
import { objectOf } from '../postgres/json.js';

export interface Progress {
  model: string;
  /** Every entry up to this id is embedded. */
  through: string;
}

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
  const now = Date.now();
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

/** Token buckets shared by all instances: tokens are taken in one atomic statement, by the database's clock. */
import type { RateBuckets } from '../lib/token-bucket.js';
import type { Connection, Queryable } from './connection.js';
import { openBucket, type SharedBucket } from './shared-bucket.js';

/** `now` is in milliseconds, of a clock of this process. */
export function createRateBuckets(
  database: Queryable,
  now: () => number = () => performance.now(),
): RateBuckets {
  const buckets = new Map<string, SharedBucket>();
  const open = (id: string): SharedBucket => {
    const bucket = openBucket({ database, id, now, onIdle: () => buckets.delete(id) });
    buckets.set(id, bucket);
    return bucket;
  };
  return { take: (id, limit) => (buckets.get(id) ?? open(id)).take(limit) };
}

/** Deletes up to `batch` buckets that were full before the given time: a missing bucket is full. Returns the number. */
export async function pruneRateBuckets(
  { prisma }: Connection,
  before: Date,
  batch: number,
): Promise<number> {
  const where = { fullAt: { lt: before } };
  const { count } = await prisma.rateBucket.deleteMany({ where, limit: batch });
  return count;
}

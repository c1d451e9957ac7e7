/** Token buckets shared by all instances: tokens are taken in one atomic statement, by the database's clock. */
import { describeTake, type Limit, type Take } from '../lib/token-bucket.js';
import type { Connection, Queryable } from './connection.js';
import { takeTokens, type TakenTokens } from './sql/rate-buckets-take.js';

export interface SharedRateBuckets {
  take(id: string, limit: Limit): Promise<Take>;
}

interface PendingTake {
  limit: Limit;
  resolve: (take: Take) => void;
  reject: (error: unknown) => void;
}

/**
 * Batches takes: those that arrive while a statement is in flight share the next one, which requests all their tokens at
 * once. However many requests arrive, an instance has one statement per bucket in flight.
 */
export function createRateBuckets(database: Queryable): SharedRateBuckets {
  const queues = new Map<string, PendingTake[]>();

  const drain = async (id: string, queue: PendingTake[]) => {
    while (queue.length > 0) {
      const batch = queue.splice(0);
      try {
        resolveBatch(batch, await takeTokens(database, id, currentLimit(batch), batch.length));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    queues.delete(id);
  };

  return {
    take: (id, limit) =>
      new Promise((resolve, reject) => {
        const pending = { limit, resolve, reject };
        const queue = queues.get(id);
        if (queue !== undefined) {
          queue.push(pending);
          return;
        }
        const newQueue = [pending];
        queues.set(id, newQueue);
        void drain(id, newQueue);
      }),
  };
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

function resolveBatch(batch: PendingTake[], { granted, tokens, at }: TakenTokens): void {
  const limit = currentLimit(batch);
  batch.forEach(({ resolve }, index) => {
    const allowed = index < granted;
    const takenLater = allowed ? granted - 1 - index : 0;
    resolve(describeTake(allowed, { tokens: tokens + takenLater, at }, limit));
  });
}

// The limit changes with the account's tier, so the latest take has the current one.
function currentLimit(batch: PendingTake[]): Limit {
  const last = batch.at(-1);
  if (last === undefined) throw new RangeError('A batch of takes must not be empty.');
  return last.limit;
}

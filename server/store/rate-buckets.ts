/** Token buckets that all instances share: each take is one atomic statement, on the clock of the database. */
import { describeTake, type Limit, type Take } from '../lib/token-bucket.js';
import type { Connection, Queryable } from './connection.js';
import { takeTokens, type TakenTokens } from './sql/rate-buckets-take.js';

export interface SharedRateBuckets {
  take(id: string, limit: Limit): Promise<Take>;
}

interface Waiting {
  limit: Limit;
  resolve: (take: Take) => void;
  reject: (error: unknown) => void;
}

/**
 * Takes that meet while a statement is under way share the next one, which asks for all of their tokens together: no
 * matter how many requests come, an instance has one statement per bucket in flight.
 */
export function createRateBuckets(database: Queryable): SharedRateBuckets {
  const queues = new Map<string, Waiting[]>();

  const drain = async (id: string, queue: Waiting[]) => {
    while (queue.length > 0) {
      const batch = queue.splice(0);
      try {
        answer(batch, await takeTokens(database, id, currentLimit(batch), batch.length));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    queues.delete(id);
  };

  return {
    take: (id, limit) =>
      new Promise((resolve, reject) => {
        const waiting = { limit, resolve, reject };
        const queue = queues.get(id);
        if (queue !== undefined) {
          queue.push(waiting);
          return;
        }
        const started = [waiting];
        queues.set(id, started);
        void drain(id, started);
      }),
  };
}

/** Deletes up to so many buckets that were full before then, which is the same as not being there. Says how many. */
export async function pruneRateBuckets(
  { prisma }: Connection,
  before: Date,
  batch: number,
): Promise<number> {
  const where = { fullAt: { lt: before } };
  const { count } = await prisma.rateBucket.deleteMany({ where, limit: batch });
  return count;
}

function answer(batch: Waiting[], { granted, tokens, at }: TakenTokens): void {
  const limit = currentLimit(batch);
  batch.forEach(({ resolve }, index) => {
    const allowed = index < granted;
    const takenLater = allowed ? granted - 1 - index : 0;
    resolve(describeTake(allowed, { tokens: tokens + takenLater, at }, limit));
  });
}

// A limit changes with the account's tier; whoever came last knows the present one.
function currentLimit(batch: Waiting[]): Limit {
  const last = batch.at(-1);
  if (last === undefined) throw new RangeError('A batch of takes is never empty.');
  return last.limit;
}

/** Token buckets that all instances share: each take is one atomic statement, on the clock of the database. */
import { describeTake, type Limit, type Take } from '../lib/token-bucket.js';
import type { Sql, Statement } from './sql.js';

export interface SharedRateBuckets {
  take(id: string, limit: Limit): Promise<Take>;
  /** Deletes up to so many buckets that are full again, which is the same as not being there. */
  prune(batch: number): Promise<number>;
}

interface Taken {
  granted: number;
  tokens: number;
  at: number;
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
export function createRateBuckets(sql: Sql): SharedRateBuckets {
  const queues = new Map<string, Waiting[]>();

  const drain = async (id: string, queue: Waiting[]) => {
    while (queue.length > 0) {
      const batch = queue.splice(0);
      try {
        answer(batch, await takeTogether(sql, id, batch));
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
    prune: async (batch) => (await sql.run(PRUNE, [batch])).length,
  };
}

async function takeTogether(sql: Sql, id: string, batch: Waiting[]): Promise<Taken> {
  const { capacity, refillPerSecond } = currentLimit(batch);
  const [taken] = await sql.run<Taken>(TAKE, [id, capacity, refillPerSecond, batch.length]);
  // No row: the bucket was made and emptied by another instance since this statement began.
  return taken ?? { granted: 0, tokens: 0, at: Date.now() };
}

function answer(batch: Waiting[], { granted, tokens, at }: Taken): void {
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

// $1 id, $2 capacity, $3 refill per second, $4 tokens wanted. As many whole tokens are granted as there are, up to $4. If
// there are none nothing changes, and the second half reports. A statement that had to wait for another one may carry
// an older time than the bucket; then nothing has flowed back for it.
const refilled = (now: string) =>
  `least($2::float8, bucket.tokens + greatest(0, extract(epoch FROM ${now} - bucket.updated_at)::float8) * $3::float8)`;
const granted = (tokens: string) => `least($4::int, floor(${tokens}))`;
const fullAt = (now: string, tokens: string) =>
  `${now} + make_interval(secs => least(($2::float8 - (${tokens} - ${granted(tokens)})) / $3::float8, 1e10))`;
const held = refilled('excluded.updated_at');

const TAKE: Statement = {
  name: 'rate-buckets-take',
  text: `
    WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
    taken AS (
      INSERT INTO rate_buckets AS bucket (id, tokens, granted, updated_at, full_at)
      SELECT $1, $2::float8 - ${granted('$2::float8')}, ${granted('$2::float8')}, now, ${fullAt('now', '$2::float8')}
        FROM clock
      ON CONFLICT (id) DO UPDATE SET
        tokens = ${held} - ${granted(held)},
        granted = ${granted(held)},
        updated_at = greatest(bucket.updated_at, excluded.updated_at),
        full_at = ${fullAt('excluded.updated_at', held)}
      WHERE ${held} >= 1
      RETURNING granted, tokens, updated_at
    )
    SELECT granted, tokens, (extract(epoch FROM updated_at) * 1000)::float8 AS at
      FROM taken
    UNION ALL
    SELECT 0, ${refilled('clock.now')}, (extract(epoch FROM clock.now) * 1000)::float8
      FROM rate_buckets AS bucket, clock
     WHERE bucket.id = $1 AND NOT EXISTS (SELECT FROM taken)`,
};

const PRUNE: Statement = {
  name: 'rate-buckets-prune',
  text: `
    DELETE FROM rate_buckets
     WHERE id IN (SELECT id FROM rate_buckets WHERE full_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED)
    RETURNING 1`,
};

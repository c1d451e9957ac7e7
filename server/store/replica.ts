/**
 * Lets a streaming replica serve reads. A read sees everything that was acknowledged before it began, on whatever instance: it asks
 * the primary how far its log has come, and waits until the replica has replayed that. If that takes too long, if the replica fails
 * or hangs, or cancels the statement, the primary serves the read; and all others, until the replica has caught up.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { coalesced } from '../lib/coalesced.js';
import { messageOf } from '../lib/error-code.js';
import { withTimeLimit } from '../lib/time-limit.js';
import { type Queryable, queryableOn } from './connection.js';
import { driverError, isStoreUnavailable, StoreUnavailable } from './errors.js';
import { openPool, type PoolOptions } from './pool.js';
import { readIdentity, readPosition } from './sql/replication-position.js';

export interface ReplicaOptions {
  primary: Queryable;
  /** Of the connections to the replica. */
  pool: PoolOptions;
  /** How long a read waits for the replica to have what was written before. */
  maxLagMs: number;
  warn: (message: string) => void;
}

export interface Replica {
  /** For the statements of one request, which are all served by the replica or, from the first that it cannot serve, not. */
  reads: (primary: Queryable) => Queryable;
  /** Whether reads go to the replica now. */
  isUsed: () => boolean;
  close: () => Promise<void>;
}

const probeIntervalMs = 1_000;
/** A replica that takes longer to say where it is hangs. */
const answerTimeoutMs = 1_000;
const pollMs = 5;

export function openReplica({ primary, pool, maxLagMs, warn }: ReplicaOptions): Replica {
  // Positions are asked on a connection of their own, so that they do not wait for reads.
  const [reads, questions] = [openPool(pool), openPool({ ...pool, size: 1 })];
  const replica = queryableOn(reads.pool, pool);
  const asked = queryableOn(questions.pool, pool);
  const primaryPosition = coalesced(() => readPosition(primary));
  const replicaPosition = coalesced(() => readPosition(asked));
  let isUsed = false;
  let reason = '';
  let isStopped = false;

  /** Cuts the connections, so that nobody waits for a replica that hangs. */
  const rest = (why: string) => {
    if (isUsed || why !== reason) {
      warn(`The replica is not used, and the primary serves its reads: ${why}`);
    }
    isUsed = false;
    reason = why;
    for (const one of [reads, questions]) {
      one.suspend(new StoreUnavailable(why));
      one.resume();
    }
  };

  const hasReplayed = async (position: number): Promise<boolean> => {
    const deadline = performance.now() + maxLagMs;
    while ((await replicaPosition()) < position) {
      if (performance.now() > deadline) return false;
      await delay(pollMs);
    }
    return true;
  };

  const isCurrent = async (): Promise<boolean> => {
    const position = await primaryPosition();
    return withTimeLimit(hasReplayed(position), maxLagMs + answerTimeoutMs, noAnswer);
  };

  const assertReplica = async () => {
    const [one, other] = await Promise.all([readIdentity(primary), readIdentity(asked)]);
    const isSame = one.system === other.system && one.database === other.database;
    if (!isSame) throw new Error('DATABASE_REPLICA_URL is not a replica of DATABASE_URL.');
    if (!other.isReplica) throw new Error('It is no longer a replica.');
  };

  const probe = async () => {
    try {
      await withTimeLimit(assertReplica(), answerTimeoutMs, noAnswer);
      if (isUsed) return;
      if (!(await isCurrent())) {
        rest(behind);
        return;
      }
      isUsed = true;
      if (reason !== '') warn('The replica is used again.');
      reason = '';
    } catch (error) {
      if (!isStopped) rest(explain(error));
    }
  };
  const behind = `it is more than ${maxLagMs} ms behind.`;
  const probing = repeat(probe, () => isStopped);

  /** Whether the replica can serve a read that begins now. */
  const canServe = async (): Promise<boolean> => {
    if (!isUsed) return false;
    try {
      if (await isCurrent()) return true;
      rest(behind);
    } catch (error) {
      rest(explain(error));
    }
    return false;
  };

  return {
    isUsed: () => isUsed,
    reads: (fallback) => {
      let served: Promise<boolean> | undefined;
      return {
        run: async (statement, values) => {
          served ??= canServe();
          if (!(await served)) return fallback.run<never>(statement, values);
          try {
            return await replica.run<never>(statement, values);
          } catch (error) {
            served = Promise.resolve(false);
            if (isOutage(error)) rest(explain(error));
            return fallback.run<never>(statement, values);
          }
        },
      };
    },
    close: async () => {
      isStopped = true;
      for (const one of [reads, questions]) one.suspend(new StoreUnavailable('It is closed.'));
      await probing.stop();
      await Promise.all([reads.pool.end(), questions.pool.end()]);
    },
  };
}

const noAnswer = new StoreUnavailable('It does not answer.');

/** A replica also cancels statements that are in the way of its replay, and is well otherwise. */
const cancelled = new Set(['40001', '40P01', '57014']);

function isOutage(error: unknown): boolean {
  return isStoreUnavailable(error) && !cancelled.has(driverError(error).code ?? '');
}

const explain = (error: unknown) =>
  error instanceof StoreUnavailable && error.cause !== undefined
    ? messageOf(error.cause)
    : messageOf(error);

function repeat(work: () => Promise<void>, isStopped: () => boolean) {
  const stop = new AbortController();
  const loop = async () => {
    while (!isStopped()) {
      await work();
      const { signal } = stop;
      await delay(probeIntervalMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const running = loop();
  return {
    stop: () => {
      stop.abort();
      return running;
    },
  };
}

/**
 * One token bucket as an instance sees it. Takes that arrive while a statement is in flight share the next one, so that
 * however many requests arrive, there is one statement in flight. While many arrive, tokens are also taken ahead, since a row
 * that every request updates would be the busiest of all; what is not used within a moment is returned. While the bucket is
 * known to be empty, nobody is asked: other instances can only take what flows in.
 */
import {
  type BucketLevel,
  describeTake,
  type Limit,
  refill,
  type Take,
} from '../lib/token-bucket.js';
import type { Queryable } from './connection.js';
import { takeTokens } from './sql/rate-buckets-take.js';

export interface SharedBucket {
  take: (limit: Limit) => Take | Promise<Take>;
}

export interface SharedBucketOptions {
  database: Queryable;
  id: string;
  /** In milliseconds, of a clock of this process. */
  now: () => number;
  /** Called once it has nothing to remember. */
  onIdle: () => void;
}

interface PendingTake {
  limit: Limit;
  resolve: (take: Take) => void;
  reject: (error: unknown) => void;
}

/** The tokens that the last statement took. */
interface Stock {
  limit: Limit;
  /** Of the bucket, together with what is left of these. */
  level: BucketLevel;
  left: number;
  used: number;
  /** When the statement began, and what to add for the time of the database. */
  since: number;
  clockOffset: number;
}

/** For how long tokens are taken ahead, at the rate of the last takes. */
const aheadMs = 50;
/** For how long they are kept. */
const keepMs = 100;
/** For how long the database is not asked again, at most: others may return tokens, or change the bucket. */
const maxEmptyMs = 1_000;

export function openBucket({ database, id, now, onIdle }: SharedBucketOptions): SharedBucket {
  const queue: PendingTake[] = [];
  let stock: Stock | undefined;
  let isDraining = false;

  /** Takes what is needed, and ahead, and returns what is left of the last stock. */
  const restock = async (limit: Limit, needed: number): Promise<Stock> => {
    const last = stock;
    stock = undefined;
    const since = now();
    const ahead = last && needed > 0 ? tokensAhead(last, limit, since) : 0;
    const { granted, tokens, at } = await takeTokens(database, id, limit, {
      requested: needed + ahead,
      returned: last?.left ?? 0,
    });
    const level = { tokens: tokens + granted, at };
    stock = { limit, level, left: granted, used: 0, since, clockOffset: at - now() };
    setTimeout(expire, keepMs, stock).unref();
    return stock;
  };

  /** The limit changes with the account's tier, so the latest take has the current one. */
  const drain = async (latest: Limit) => {
    isDraining = true;
    do {
      const batch = queue.splice(0);
      try {
        const taken = await restock(batch.at(-1)?.limit ?? latest, batch.length);
        for (const { resolve } of batch) resolve(takeFrom(taken, now()));
      } catch (error) {
        // What would have been returned is lost: for a moment the limit is lower, and never higher.
        for (const { reject } of batch) reject(error);
      }
    } while (queue.length > 0);
    isDraining = false;
    if (stock === undefined) onIdle();
  };

  const expire = (expired: Stock) => {
    if (stock !== expired || isDraining) return;
    const emptyMs = emptyFor(expired, now());
    if (expired.left > 0) {
      void drain(expired.limit);
    } else if (emptyMs > 0) {
      setTimeout(expire, emptyMs, expired).unref();
    } else {
      stock = undefined;
      onIdle();
    }
  };

  return {
    take: (limit) => {
      if (!isDraining && stock && mayServe(stock, limit, now())) return takeFrom(stock, now());
      return new Promise((resolve, reject) => {
        queue.push({ limit, resolve, reject });
        if (!isDraining) void drain(limit);
      });
    },
  };
}

function mayServe(stock: Stock, wanted: Limit, now: number): boolean {
  if (!isSame(stock.limit, wanted)) return false;
  return stock.left > 0 ? now - stock.since < keepMs : emptyFor(stock, now) > 0;
}

/** For how many more milliseconds it is certain that the bucket has no whole token. */
function emptyFor({ left, level, limit, since, clockOffset }: Stock, now: number): number {
  if (left > 0) return 0;
  const { tokens } = refill(level, limit, now + clockOffset);
  const untilTokenMs = ((1 - tokens) / limit.refillPerSecond) * 1000;
  return Math.min(untilTokenMs, since + maxEmptyMs - now);
}

function takeFrom(stock: Stock, now: number): Take {
  const { limit } = stock;
  const level = refill(stock.level, limit, now + stock.clockOffset);
  if (stock.left === 0) return describeTake(false, level, limit);
  stock.level = { ...level, tokens: level.tokens - 1 };
  stock.left -= 1;
  stock.used += 1;
  return describeTake(true, stock.level, limit);
}

/**
 * As many as will be used soon, if it goes on like this. Only a part of what the bucket has above its half, so that nobody is
 * refused for what another instance keeps; and none of a bucket that would be full before they are used or returned, since
 * what is kept elsewhere would be refilled once more.
 */
function tokensAhead({ limit, level, used, since }: Stock, wanted: Limit, now: number): number {
  const elapsedMs = Math.max(1, now - since);
  const { capacity, refillPerSecond } = limit;
  const isFilling = capacity - level.tokens > (refillPerSecond * keepMs) / 1000;
  if (elapsedMs > keepMs || !isFilling || !isSame(limit, wanted)) return 0;
  const spare = (level.tokens - capacity / 2) / 8;
  return Math.floor(Math.max(0, Math.min(spare, (used * aheadMs) / elapsedMs)));
}

function isSame(one: Limit, other: Limit): boolean {
  return one.capacity === other.capacity && one.refillPerSecond === other.refillPerSecond;
}

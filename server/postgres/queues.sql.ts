/**
 * Measures the queues: how many asynchronous invocations and deliveries are waiting, and the age of the oldest.
 * Why SQL: counts that stop at a limit, and the database's clock; Prisma supports neither.
 */
import type { Queryable, Statement } from './connection.js';

interface QueueMeasure {
  /** Never more than `countLimit`. */
  depth: number;
  /** In seconds; 0 if nothing waits. */
  oldestAge: number;
}

interface QueueMeasures {
  invocations: QueueMeasure;
  deliveries: QueueMeasure;
}

/** Limits the cost of a scrape while the queues are long. */
const countLimit = 10_000;

// Work in progress is leased until a time in the future, so it does not count.
const measure: Statement = {
  name: 'queues_measure',
  text: `
    SELECT invocation.depth AS "invocationDepth", invocation.oldest AS "oldestInvocation",
           delivery.depth AS "deliveryDepth", delivery.oldest AS "oldestDelivery", now() AS now
      FROM (SELECT count(*)::int AS depth, min(available_at) AS oldest FROM (
              SELECT available_at FROM invocations WHERE status IN ('queued', 'running') AND available_at <= now()
               ORDER BY available_at LIMIT $1) AS waiting) AS invocation,
           (SELECT count(*)::int AS depth, min(next_attempt_at) AS oldest FROM (
              SELECT next_attempt_at FROM deliveries WHERE status = 'pending' AND next_attempt_at <= now()
               ORDER BY next_attempt_at LIMIT $1) AS waiting) AS delivery`,
};

interface MeasureRow {
  invocationDepth: number;
  oldestInvocation: Date | null;
  deliveryDepth: number;
  oldestDelivery: Date | null;
  now: Date;
}

export async function measureQueues(database: Queryable): Promise<QueueMeasures> {
  const [row] = await database.run<MeasureRow>(measure, [countLimit]);
  if (!row) throw new Error('The queues could not be measured.');
  const age = (since: Date | null) =>
    since === null ? 0 : Math.max(0, (row.now.getTime() - since.getTime()) / 1000);
  return {
    invocations: { depth: row.invocationDepth, oldestAge: age(row.oldestInvocation) },
    deliveries: { depth: row.deliveryDepth, oldestAge: age(row.oldestDelivery) },
  };
}

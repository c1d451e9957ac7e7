/**
 * Measures the queues: how many asynchronous invocations and deliveries wait to be taken, and how long the first one has.
 * Why SQL: counts that stop at a limit, a loose index scan and the database's clock; Prisma supports none of them.
 */
import type { Queryable, Statement } from '../postgres/connection.js';

export interface QueueMeasure {
  /** Never more than `countLimit`. */
  depth: number;
  /** In seconds; 0 if nothing waits. */
  oldestAge: number;
}

export interface QueueMeasures {
  invocations: QueueMeasure;
  deliveries: QueueMeasure;
}

/** Counting more would make a scrape the slower the more there is to see. */
export const countLimit = 10_000;
/** The oldest one is looked for in this many accounts. */
const accountLimit = 500;

// What is being worked on is leased, that is available in the future only, and does not count.
const measure: Statement = {
  name: 'queues_measure',
  text: `
    WITH RECURSIVE account AS (
      (SELECT account_id FROM invocations WHERE status IN ('queued', 'running') ORDER BY account_id LIMIT 1)
      UNION ALL
      SELECT next.account_id FROM account, LATERAL (
        SELECT account_id FROM invocations
         WHERE status IN ('queued', 'running') AND account_id > account.account_id ORDER BY account_id LIMIT 1
      ) next
    )
    SELECT (SELECT count(*)::int FROM (
              SELECT FROM invocations WHERE status IN ('queued', 'running') AND available_at <= now() LIMIT $1) AS counted
           ) AS "invocationDepth",
           (SELECT min(first.available_at) FROM (SELECT account_id FROM account LIMIT $2) AS page, LATERAL (
              SELECT available_at FROM invocations
               WHERE account_id = page.account_id AND status IN ('queued', 'running') ORDER BY available_at LIMIT 1) AS first
           ) AS "oldestInvocation",
           (SELECT count(*)::int FROM (
              SELECT FROM deliveries WHERE status = 'pending' AND next_attempt_at <= now() LIMIT $1) AS counted
           ) AS "deliveryDepth",
           (SELECT next_attempt_at FROM deliveries WHERE status = 'pending' ORDER BY next_attempt_at LIMIT 1
           ) AS "oldestDelivery",
           now() AS now`,
};

interface MeasureRow {
  invocationDepth: number;
  oldestInvocation: Date | null;
  deliveryDepth: number;
  oldestDelivery: Date | null;
  now: Date;
}

export async function measureQueues(database: Queryable): Promise<QueueMeasures> {
  const [row] = await database.run<MeasureRow>(measure, [countLimit, accountLimit]);
  if (!row) throw new Error('The queues could not be measured.');
  const age = (since: Date | null) =>
    since === null ? 0 : Math.max(0, (row.now.getTime() - since.getTime()) / 1000);
  return {
    invocations: { depth: row.invocationDepth, oldestAge: age(row.oldestInvocation) },
    deliveries: { depth: row.deliveryDepth, oldestAge: age(row.oldestDelivery) },
  };
}

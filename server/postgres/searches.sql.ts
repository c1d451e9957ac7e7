/**
 * For statements whose cost depends on how much an account has stored. Accounts share a quarter of the connections fairly, and a short
 * time limit applies, so that neither other work nor other accounts wait for them.
 * Why SQL: Prisma cannot limit a statement's time or choose how it is planned.
 */
import { FairQueue } from '../lib/async/fair-queue.js';
import type { Connection, Queryable, Statement } from './connection.js';

interface SearchOptions {
  poolSize: number;
  statementTimeoutMs: number;
  /** Citus cannot plan a statement without its values. */
  hasCitus: boolean;
}

const timeoutMs = 3_000;
const minSlots = 2;

/**
 * Until the end of the transaction. Each prepared statement is planned only once, because statements that read many partitions take
 * longer to plan than to run.
 */
const limitSearch: Statement = {
  name: 'limit_search',
  text: `SELECT set_config('statement_timeout', $1, true), set_config('plan_cache_mode', $2, true),
                set_config('enable_seqscan', 'on', true)`,
};

export function createSearches(
  connection: Pick<Connection, 'atomically'>,
  { poolSize, statementTimeoutMs, hasCitus }: SearchOptions,
): (accountId: string) => Queryable {
  const queue = new FairQueue(Math.max(minSlots, Math.floor(poolSize / 4)));
  const limits = [
    String(Math.min(timeoutMs, statementTimeoutMs)),
    hasCitus ? 'auto' : 'force_generic_plan',
  ];
  return (accountId) => ({
    run: (statement, values) =>
      queue.run(accountId, () =>
        connection.atomically(async (transaction) => {
          await transaction.run(limitSearch, limits);
          return transaction.run<never>(statement, values);
        }),
      ),
  });
}

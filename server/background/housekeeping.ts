/** The tasks that keep the database small and its counts and words up to date. */
import type { Logger } from 'pino';
import { type RunningTasks, startTasks, type Task } from './tasks.js';
import type { SemanticSearch } from '../domain/memory/semantic-search.js';
import { pruneStep } from '../domain/retention.js';
import { lowestIdAt } from '../lib/typeid.js';
import type { Database, Transaction } from '../store/database.js';
import { pruneIdempotencyRecords } from '../store/idempotency-records.js';
import { settlingMs } from '../store/memory.js';
import { countWords } from '../store/memory-words.js';
import { pruneRateBuckets } from '../store/rate-buckets.js';
import { withTaskLock } from '../store/task-lock.js';
import { foldStep } from '../store/usage.js';

export interface HousekeepingParts {
  database: Database;
  semanticSearch: SemanticSearch | undefined;
  /** Undefined: nothing is deleted because of its age. */
  retentionDays: number | undefined;
}

const minuteMs = 60_000;

/** Their time is over by the clock of the database, from which that of this instance may differ. */
const clockMarginMs = 60 * minuteMs;

export function startHousekeeping(parts: HousekeepingParts, log: Logger): RunningTasks {
  return startTasks(tasksOf(parts), {
    failed: (task, error) => {
      log.warn({ task, err: error }, 'background work failed');
    },
    recovered: (task) => {
      log.info({ task }, 'background work goes on');
    },
  });
}

function tasksOf({ database, semanticSearch, retentionDays }: HousekeepingParts): Task[] {
  /** One instance at a time does it; the work says whether more is waiting. */
  const alone = (
    name: string,
    everyMs: number,
    work: (transaction: Transaction) => Promise<boolean>,
  ): Task => ({
    name,
    everyMs,
    step: async () => (await withTaskLock(database, name, work)) ?? false,
  });
  const batch = 1_000;
  const longAgo = () => new Date(Date.now() - clockMarginMs);
  return [
    { name: 'fold usage', everyMs: 1_000, step: () => foldStep(database) },
    alone('learn words', 5_000, (transaction) => {
      const before = lowestIdAt('mem', new Date(Date.now() - settlingMs));
      return countWords(transaction, { before, batch: 2_000 });
    }),
    ...(semanticSearch
      ? [{ name: 'embed memory', everyMs: 1_000, step: semanticSearch.embedNext }]
      : []),
    alone('prune idempotency records', minuteMs, async (transaction) => {
      const pruned = await pruneIdempotencyRecords(transaction, longAgo(), batch);
      return pruned === batch;
    }),
    alone('prune rate buckets', minuteMs, async (transaction) => {
      const pruned = await pruneRateBuckets(transaction, longAgo(), batch);
      return pruned === batch;
    }),
    ...(retentionDays === undefined
      ? []
      : [
          {
            name: 'prune by age',
            everyMs: 10 * minuteMs,
            step: () => pruneStep(database, { days: retentionDays }),
          },
        ]),
  ];
}

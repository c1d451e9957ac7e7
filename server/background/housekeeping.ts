/** The tasks that keep the database small and its counts and words up to date. */
import type { Logger } from 'pino';
import { type RunningTasks, startTasks, type Task } from './tasks.js';
import type { SemanticSearch } from '../domain/memory/semantic-search.js';
import { pruneStep } from '../domain/retention.js';
import { lowestIdAt } from '../lib/typeid.js';
import type { Database } from '../store/database.js';
import type { IdempotencyRecords } from '../store/idempotency-records.js';
import { settlingMs } from '../store/memory.js';
import { countWords } from '../store/memory-words.js';
import { createRateBuckets } from '../store/rate-buckets.js';
import { withTaskLock } from '../store/task-lock.js';
import { foldUsage } from '../store/usage.js';

export interface HousekeepingParts {
  database: Database;
  records: IdempotencyRecords;
  semanticSearch: SemanticSearch | undefined;
  /** Undefined: nothing is deleted because of its age. */
  retentionDays: number | undefined;
}

const minuteMs = 60_000;

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

function tasksOf(parts: HousekeepingParts): Task[] {
  const { database, records, semanticSearch, retentionDays } = parts;
  const buckets = createRateBuckets(database);
  const batch = 1_000;
  return [
    { name: 'fold usage', everyMs: 1_000, step: () => foldStep(database) },
    { name: 'learn words', everyMs: 5_000, step: () => learnStep(database) },
    ...(semanticSearch
      ? [{ name: 'embed memory', everyMs: 1_000, step: semanticSearch.embedNext }]
      : []),
    {
      name: 'prune idempotency records',
      everyMs: minuteMs,
      step: async () => (await records.prune(batch)) === batch,
    },
    {
      name: 'prune rate buckets',
      everyMs: minuteMs,
      step: async () => (await buckets.prune(batch)) === batch,
    },
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

/** Adds what happened lately to the counts. Whether more is waiting. */
export async function foldStep(database: Database, batch = 5_000): Promise<boolean> {
  const isMore = await withTaskLock(database, 'fold usage', (transaction) =>
    foldUsage(transaction, batch),
  );
  return isMore ?? false;
}

/** Counts the words of entries that have settled. Whether more are waiting. */
async function learnStep(database: Database): Promise<boolean> {
  const before = lowestIdAt('mem', new Date(Date.now() - settlingMs));
  const isMore = await withTaskLock(database, 'learn words', (transaction) =>
    countWords(transaction, { before, batch: 2_000 }),
  );
  return isMore ?? false;
}

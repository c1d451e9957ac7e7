/** The one loop that creates partitions, folds usage counts, and deletes what has expired or lost its owner. */
import {
  type Step,
  type StepLoop,
  type StepObserver,
  startStepLoop,
} from '../postgres/step-loop.js';
import {
  createPartitions,
  pruneHistories,
  type Retention,
} from '../postgres/retention/retention.js';
import { logsAndInvocations } from '../invocations/retention.sql.js';
import { memory } from '../memory/delete.sql.js';
import { events } from '../webhooks/deliveries/retention.js';
import { currentDate, currentTime } from '../lib/time/clock.js';
import type { Secrets } from '../installation/key-ring.js';
import { closeExpired } from '../invocations/approvals.js';
import { longestRunMs } from '../contract/agent-options.js';
import { pruneSteps } from '../invocations/steps.sql.js';
import type { Database, Transaction } from '../postgres/database.js';
import { pruneBudgetWindows } from '../accounts/budgets.js';
import { idempotencyKeepMs, pruneIdempotencyRecords } from '../idempotency/records.js';
import { purgeRows } from '../postgres/retention/purges.js';
import { pruneRateBuckets } from '../accounts/rate-buckets.js';
import { dropStreams, pruneStreamEvents } from '../invocations/streams/stream-events.js';
import { withHousekeepingLock } from '../postgres/housekeeping-lock.js';
import { foldStep } from '../metrics/usage.js';

interface HousekeepingParts extends StepObserver {
  database: Database;
  /** Open what runs that expire have waited for. */
  secrets: Secrets;
  /** Undefined if nothing is deleted by age. */
  retentionDays: number | undefined;
}

const minuteMs = 60_000;

const batch = 1_000;
const purgeBatch = 2_000;
/** Smaller than the other batches: each stream can have thousands of events. */
const streamBatch = 100;

/** A margin for rows that expire by the database's clock, which this instance's follows with a delay if one of them is set. */
const clockSkewMs = 60 * minuteMs;

export function startHousekeeping(parts: HousekeepingParts): StepLoop {
  return startStepLoop(stepsOf(parts), parts);
}

/** Deletes logs, invocations with their metrics, memory and events that are older than the retention period. */
export function pruneByAge(database: Database, retention: Retention): Promise<boolean | undefined> {
  return pruneHistories(database, [logsAndInvocations, memory, events], retention);
}

function stepsOf({ database, secrets, retentionDays, log }: HousekeepingParts): Step[] {
  const step = (
    name: string,
    everyMs: number,
    work: (transaction: Transaction) => Promise<boolean>,
  ): Step => ({ name, everyMs, run: () => withHousekeepingLock(database, work) });
  /** `prune` deletes up to `limit` rows that expired before a time, and returns their number. */
  const pruning = (
    name: string,
    prune: (transaction: Transaction, before: Date, limit: number) => Promise<number>,
    keptMs = 0,
  ): Step =>
    step(name, minuteMs, async (transaction) => {
      const before = new Date(currentTime() - clockSkewMs - keptMs);
      return (await prune(transaction, before, batch)) === batch;
    });
  return [
    {
      name: 'create partitions',
      everyMs: minuteMs,
      run: async () => (await createPartitions(database, { days: retentionDays })) > 0,
    },
    step('fold usage', 2_000, (transaction) => foldStep(transaction)),
    step('drop streams', 2_000, async (transaction) => {
      return (await dropStreams(transaction, currentDate(), streamBatch)) === streamBatch;
    }),
    step('close expired approvals', 10_000, async (transaction) => {
      return (await closeExpired(transaction, secrets, currentDate())) > 0;
    }),
    step('purge deleted rows', 2_000, (transaction) =>
      purgeRows(transaction, {
        batch: purgeBatch,
        onDone: ({ table, ownerId, name, deletedRows, createdAt }) => {
          if (deletedRows < purgeBatch) return;
          const seconds = Math.round((currentTime() - createdAt.getTime()) / 1000);
          log.info({ id: ownerId, name, table, deletedRows, seconds }, 'deletion finished');
        },
      }),
    ),
    pruning('prune idempotency records', pruneIdempotencyRecords),
    pruning('prune stream events', pruneStreamEvents, idempotencyKeepMs),
    // Those of a request that was never repeated, which are of no use once its Idempotency-Key has expired.
    pruning('prune steps', pruneSteps, longestRunMs + idempotencyKeepMs),
    pruning('prune rate buckets', pruneRateBuckets),
    pruning('prune budget windows', pruneBudgetWindows),
    ...(retentionDays === undefined
      ? []
      : [
          {
            name: 'prune by age',
            everyMs: 10 * minuteMs,
            run: () => pruneByAge(database, { days: retentionDays }),
          },
        ]),
  ];
}

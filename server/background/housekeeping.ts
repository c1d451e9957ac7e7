/** The periodic tasks that prune old rows, purge deleted ones, fold usage counts, and embed memories. */
import type { Logger } from 'pino';
import { type RunningTasks, startTasks, type Task } from './tasks.js';
import type { SemanticSearch } from '../domain/memory/semantic-search.js';
import { createPartitions, pruneStep } from '../domain/retention.js';
import { currentDate, currentTime } from '../lib/time/clock.js';
import type { Telemetry } from '../observability/telemetry.js';
import { createWakeUp, type WakeUp } from '../lib/async/wake-up.js';
import type { Database, Transaction } from '../store/postgres/database.js';
import { pruneBudgetWindows } from '../store/accounts/budgets.js';
import { idempotencyKeepMs, pruneIdempotencyRecords } from '../store/idempotency/records.js';
import { purgeRows } from '../store/retention/purges.js';
import { pruneRateBuckets } from '../store/accounts/rate-buckets.js';
import { dropStreams, pruneStreamEvents } from '../store/idempotency/stream-events.js';
import { withTaskLock } from '../store/postgres/task-lock.js';
import { foldStep } from '../store/usage/usage.js';
import { findPendingWork, type PendingWork } from '../store/queues/pending-work.sql.js';

interface HousekeepingParts {
  database: Database;
  semanticSearch: SemanticSearch | undefined;
  /** Undefined if nothing is deleted by age. */
  retentionDays: number | undefined;
  /** Called while a queue has due items, in case a notification was lost or a worker died. */
  onDue: Record<'invocations' | 'deliveries', () => void>;
  telemetry: Pick<Telemetry, 'task'>;
}

const minuteMs = 60_000;

const workKinds = ['usage', 'purges', 'streams', 'invocations', 'deliveries'] as const;

/** A margin for rows that expire by the database's clock, which this instance's follows with a delay if one of them is set. */
const clockSkewMs = 60 * minuteMs;

export function startHousekeeping(parts: HousekeepingParts, log: Logger): RunningTasks {
  return startTasks(tasksOf(parts, log), {
    started: parts.telemetry.task,
    failed: (task, error) => {
      log.warn({ task, err: error }, 'background task failed');
    },
    recovered: (task) => {
      log.info({ task }, 'background task recovered');
    },
  });
}

function tasksOf(
  { database, semanticSearch, retentionDays, onDue }: HousekeepingParts,
  log: Logger,
): Task[] {
  /** A task that only one instance runs at a time. `work` resolves to true if more is pending. */
  const exclusive = (
    name: string,
    everyMs: number,
    work: (transaction: Transaction) => Promise<boolean>,
    wakeUp?: WakeUp,
  ): Task => ({
    name,
    everyMs,
    ...(wakeUp && { wakeUp }),
    step: () => withTaskLock(database, name, work),
  });
  const wakeUps = {
    usage: createWakeUp(),
    purges: createWakeUp(),
    streams: createWakeUp(),
  };
  const wake: Record<keyof PendingWork, () => void> = {
    usage: wakeUps.usage.wake,
    purges: wakeUps.purges.wake,
    streams: wakeUps.streams.wake,
    ...onDue,
  };
  const batch = 1_000;
  const purgeBatch = 2_000;
  /** Smaller than the other batches: each stream can have thousands of events. */
  const streamBatch = 100;
  const expiryCutoff = () => new Date(currentTime() - clockSkewMs);
  return [
    {
      name: 'find work',
      everyMs: 2_000,
      step: async () => {
        const pending = await findPendingWork(database);
        for (const kind of workKinds) if (pending[kind]) wake[kind]();
        return false;
      },
    },
    {
      name: 'fold usage',
      everyMs: 1_000,
      wakeUp: wakeUps.usage,
      step: () => foldStep(database),
    },
    ...(semanticSearch
      ? [{ name: 'embed memory', everyMs: 1_000, step: semanticSearch.embedNext }]
      : []),
    exclusive(
      'purge deleted rows',
      2_000,
      (transaction) =>
        purgeRows(transaction, {
          batch: purgeBatch,
          onDone: ({ table, ownerId, name, deletedRows, createdAt }) => {
            if (deletedRows < purgeBatch) return;
            const seconds = Math.round((currentTime() - createdAt.getTime()) / 1000);
            log.info({ id: ownerId, name, table, deletedRows, seconds }, 'deletion finished');
          },
        }),
      wakeUps.purges,
    ),
    exclusive(
      'drop streams',
      1_000,
      async (transaction) =>
        (await dropStreams(transaction, currentDate(), streamBatch)) === streamBatch,
      wakeUps.streams,
    ),
    exclusive('prune idempotency records', minuteMs, async (transaction) => {
      const pruned = await pruneIdempotencyRecords(transaction, expiryCutoff(), batch);
      return pruned === batch;
    }),
    exclusive('prune stream events', minuteMs, async (transaction) => {
      const before = new Date(expiryCutoff().getTime() - idempotencyKeepMs);
      return (await pruneStreamEvents(transaction, before, batch)) === batch;
    }),
    exclusive('prune rate buckets', minuteMs, async (transaction) => {
      const pruned = await pruneRateBuckets(transaction, expiryCutoff(), batch);
      return pruned === batch;
    }),
    exclusive('prune budget windows', minuteMs, async (transaction) => {
      const pruned = await pruneBudgetWindows(transaction, expiryCutoff(), batch);
      return pruned === batch;
    }),
    {
      name: 'create partitions',
      everyMs: minuteMs,
      step: async () => (await createPartitions(database, { days: retentionDays })) > 0,
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

/**
 * Usage counts of agents per minute, five minutes, hour and day. Writing an invocation or a log entry appends to `usage_deltas`, under
 * the minute in which the invocation was received or the entry written. Deleting one appends negative counts. A background task
 * folds those rows into `usage_rollups`. A count is always the sum of both tables.
 */
import type { LogLevel } from '../../generated/api.js';
import { bucketSizes, startOfBucket } from '../lib/time/time-buckets.js';
import type { Connection } from '../postgres/connection.js';
import { findUnfolded, foldUsage } from './fold.sql.js';

const emptyCounts = {
  invocations: 0,
  failures: 0,
  durationMs: 0,
  tokens: 0,
  logsDebug: 0,
  logsInfo: 0,
  logsWarn: 0,
  logsError: 0,
};

type UsageCounts = typeof emptyCounts;

export const countNames = Object.keys(emptyCounts) as (keyof UsageCounts)[];

/** The name of the count for each log level. */
export const logCounts = {
  debug: 'logsDebug',
  info: 'logsInfo',
  warn: 'logsWarn',
  error: 'logsError',
} as const satisfies Record<LogLevel, keyof UsageCounts>;

export interface UsageChange extends Partial<UsageCounts> {
  /** The id of the invocation or log entry. */
  id: string;
  accountId: string;
  agentId: string;
  at: Date;
}

type UsageSum = UsageCounts & Omit<UsageChange, 'at'> & { bucketStart: Date };

/** Appends the sum of the changes per agent and minute. */
export async function addUsage(
  { prisma }: Connection,
  changes: readonly UsageChange[],
): Promise<void> {
  await prisma.usageDelta.createMany({ data: sumUsage(changes) });
}

/** Sums the changes per agent and minute. */
export function sumUsage(changes: readonly UsageChange[]): UsageSum[] {
  const sums = new Map<string, UsageSum>();
  for (const change of changes) {
    const { id, accountId, agentId } = change;
    const minute = startOfBucket(change.at.getTime(), 60);
    const key = `${agentId} ${minute}`;
    let sum = sums.get(key);
    if (!sum) {
      sum = { id, accountId, agentId, bucketStart: new Date(minute), ...emptyCounts };
      sums.set(key, sum);
    }
    for (const name of countNames) sum[name] += change[name] ?? 0;
  }
  return [...sums.values()];
}

const accountBatch = 100;

/** Folds deltas into the rollups, account by account. Returns true if more are pending. */
export async function foldStep(connection: Connection, batch = 5_000): Promise<boolean> {
  const accountIds = await findUnfolded(connection, accountBatch);
  let isFull = accountIds.length === accountBatch;
  for (const accountId of accountIds) {
    isFull = (await foldUsage(connection, accountId, batch)) || isFull;
  }
  return isFull;
}

const agentBatch = 500;

/**
 * Deletes rollups before the given time whose counts are all zero. Iterates over the agents, which lead the index, so
 * that later rollups are not scanned.
 */
export async function deleteEmptyRollups({ prisma }: Connection, before: Date): Promise<void> {
  for (let after = ''; ;) {
    const agents = await prisma.agent.findMany({
      where: { id: { gt: after } },
      select: { id: true, accountId: true },
      orderBy: { id: 'asc' },
      take: agentBatch,
    });
    const last = agents.at(-1);
    if (!last) return;
    await prisma.usageRollup.deleteMany({
      where: {
        accountId: { in: [...new Set(agents.map(({ accountId }) => accountId))] },
        agentId: { in: agents.map(({ id }) => id) },
        bucketSeconds: { in: [...bucketSizes] },
        bucketStart: { lt: before },
        ...emptyCounts,
      },
    });
    after = last.id;
  }
}

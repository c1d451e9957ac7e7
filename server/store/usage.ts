/**
 * The counts of what agents did, per minute, hour and day. Whoever writes an invocation or a log entry appends what it
 * adds to `usage_deltas`, under the minute in which the invocation was received or the entry was written; whoever deletes
 * one appends what it takes away. Background work moves those rows into `usage_rollups`. A count is always the sum of both.
 */
import type { LogLevel } from '../../generated/api.js';
import { bucketSizes, startOfBucket } from '../lib/time-buckets.js';
import type { Connection } from './connection.js';
import type { Database } from './database.js';
import { foldUsage } from './sql/usage-fold.js';
import { withTaskLock } from './task-lock.js';

export { foldUsage };
export { readUsage, type UsageBucket } from './sql/usage-read.js';

const nothing = {
  invocations: 0,
  failures: 0,
  durationMs: 0,
  logsDebug: 0,
  logsInfo: 0,
  logsWarn: 0,
  logsError: 0,
};

export type UsageCounts = typeof nothing;

/** Under which count an entry of a level goes. */
export const logCounts = {
  debug: 'logsDebug',
  info: 'logsInfo',
  warn: 'logsWarn',
  error: 'logsError',
} as const satisfies Record<LogLevel, keyof UsageCounts>;

export interface UsageChange extends Partial<UsageCounts> {
  agentId: string;
  at: Date;
}

/** Adds what the changes amount to, for each agent and minute. The agents must be kept from being deleted meanwhile. */
export async function addUsage(
  { prisma }: Connection,
  changes: readonly UsageChange[],
): Promise<void> {
  const deltas = new Map<string, UsageCounts & { agentId: string; bucketStart: Date }>();
  for (const { agentId, at, ...counts } of changes) {
    const bucketStart = new Date(startOfBucket(at.getTime(), 60));
    const key = `${agentId} ${bucketStart.getTime()}`;
    const delta = deltas.get(key) ?? { agentId, bucketStart, ...nothing };
    for (const name of countNames) delta[name] += counts[name] ?? 0;
    deltas.set(key, delta);
  }
  await prisma.usageDelta.createMany({ data: [...deltas.values()] });
}

const countNames = Object.keys(nothing) as (keyof UsageCounts)[];

/** Moves the oldest of what was counted into the rollups, one instance at a time. Whether more is waiting. */
export async function foldStep(database: Database, batch = 5_000): Promise<boolean> {
  const isMore = await withTaskLock(database, 'fold usage', (transaction) =>
    foldUsage(transaction, batch),
  );
  return isMore ?? false;
}

const agentsAtOnce = 500;

/**
 * Deletes rollups of the time before that, in which nothing is left to count. It goes through the agents, with which the
 * index begins, so that no rollup of a later time is looked at.
 */
export async function deleteEmptyRollups({ prisma }: Connection, before: Date): Promise<void> {
  for (let after = ''; ;) {
    const agents = await prisma.agent.findMany({
      where: { id: { gt: after } },
      select: { id: true },
      orderBy: { id: 'asc' },
      take: agentsAtOnce,
    });
    const last = agents.at(-1);
    if (!last) return;
    await prisma.usageRollup.deleteMany({
      where: {
        agentId: { in: agents.map(({ id }) => id) },
        bucketSeconds: { in: [...bucketSizes] },
        bucketStart: { lt: before },
        ...nothing,
      },
    });
    after = last.id;
  }
}

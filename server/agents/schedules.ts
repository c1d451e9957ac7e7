/** The schedules that an agent's manifest defines. What they do is in `schedules/`. */
import { isDeepStrictEqual } from 'node:util';
import { Prisma } from '../../generated/prisma/client.js';
import type { InvocationContext, Schedule } from '../../generated/manifest.js';
import { currentDate } from '../lib/time/clock.js';
import { nextTick } from '../lib/time/calendar.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import { jsonOf, objectOf } from '../postgres/json.js';

interface AgentKey {
  accountId: string;
  agentId: string;
}

/** By name. */
export async function findSchedules(
  { prisma }: Connection,
  { accountId, agentId }: AgentKey,
): Promise<Schedule[]> {
  const found = await prisma.schedule.findMany({
    where: { accountId, agentId },
    select: { name: true, cron: true, timezone: true, message: true, context: true },
    orderBy: { name: 'asc' },
  });
  return found.map(({ context, ...schedule }) => ({
    ...schedule,
    // Needs no validation: it was validated against the manifest schema when it was written.
    ...(context === null ? {} : { context: objectOf(context) as InvocationContext }),
  }));
}

/**
 * An unchanged schedule keeps when it is due next. One with other times is due by them from now on, unless it is paused: then it stays
 * paused. The caller must have locked the agent.
 */
export async function replaceSchedules(
  transaction: Transaction,
  { accountId, agentId }: AgentKey,
  { before, after }: ChangedSchedules,
): Promise<void> {
  const { prisma } = transaction;
  const now = currentDate();
  const names = after.map(({ name }) => name);
  await prisma.schedule.deleteMany({ where: { accountId, agentId, name: { notIn: names } } });
  for (const schedule of after) {
    const { name, context, ...rest } = schedule;
    const data = { ...rest, context: context ? jsonOf(context) : Prisma.DbNull };
    const nextAt = nextTick(schedule, now) ?? null;
    const known = before.find((one) => one.name === name);
    if (!known) {
      const row = { accountId, agentId, name, nextAt, ...data };
      await prisma.schedule.create({ data: row, select: { name: true } });
    } else if (!isDeepStrictEqual(known, schedule)) {
      const where = { accountId, agentId, name };
      await prisma.schedule.updateMany({ where, data });
      if (known.cron === schedule.cron && known.timezone === schedule.timezone) continue;
      const running = { ...where, nextAt: { not: null } };
      await prisma.schedule.updateMany({ where: running, data: { nextAt } });
    }
  }
}

interface ChangedSchedules {
  before: readonly Schedule[];
  after: readonly Schedule[];
}

/** Those of each side that the other does not have; undefined if there are none. */
export function changedSchedules({ before, after }: ChangedSchedules) {
  const differing = (own: readonly Schedule[], others: readonly Schedule[]) => {
    const found = own.filter((one) => !others.some((other) => isDeepStrictEqual(one, other)));
    return found.length === 0 ? undefined : found;
  };
  return { from: differing(before, after), to: differing(after, before) };
}

/** Drops the times that have passed: those at which the agent was stopped. */
export async function skipMissedTimes(
  { prisma }: Transaction,
  { accountId, agentId }: AgentKey,
): Promise<void> {
  const now = currentDate();
  const missed = await prisma.schedule.findMany({
    where: { accountId, agentId, nextAt: { lte: now } },
    select: { name: true, cron: true, timezone: true },
  });
  for (const { name, ...calendar } of missed) {
    const nextAt = nextTick(calendar, now) ?? null;
    await prisma.schedule.updateMany({ where: { accountId, agentId, name }, data: { nextAt } });
  }
}

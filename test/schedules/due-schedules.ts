/** Schedules in the database whose time has come. Times are the database's, so tests move `next_at` instead of a clock. */
import type { Prisma } from '../../generated/prisma/client.js';
import { tickBatch } from '../../server/schedules/ticks.js';
import type { Database } from '../../server/postgres/database.js';

interface AgentKey {
  accountId: string;
  agentId: string;
}

type ScheduleFields = Partial<Omit<Prisma.ScheduleUncheckedCreateInput, keyof AgentKey>>;

const minuteMs = 60_000;

export const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000);

/** The last whole minute. */
export const thisMinute = () => new Date(Math.floor(Date.now() / minuteMs) * minuteMs);

/** By default, schedules of every minute that are due since a moment ago. */
export async function insertSchedules(
  { prisma }: Database,
  { accountId, agentId }: AgentKey,
  count: number,
  fields: ScheduleFields = {},
): Promise<string[]> {
  const names = Array.from({ length: count }, (_each, index) => `every-minute-${index}`);
  await prisma.schedule.createMany({
    data: names.map((name) => ({
      accountId,
      agentId,
      name,
      cron: '* * * * *',
      timezone: 'UTC',
      message: 'Report.',
      nextAt: secondsAgo(1),
      ...fields,
    })),
  });
  return names;
}

export async function insertSchedule(
  database: Database,
  agent: AgentKey,
  fields: ScheduleFields = {},
): Promise<void> {
  await insertSchedules(database, agent, 1, fields);
}

/** What one instance does for an account, once. Returns the number of schedules that it has moved. */
export async function tick(
  database: Database,
  accountId: string,
  maxQueued = Infinity,
): Promise<number> {
  const { moved } = await database.atomically((transaction) =>
    tickBatch(transaction, { accountId, maxQueued }),
  );
  return moved;
}

export const schedulesOf = ({ prisma }: Database, { agentId }: Pick<AgentKey, 'agentId'>) =>
  prisma.schedule.findMany({ where: { agentId }, orderBy: { name: 'asc' } });

export const invocationsOf = ({ prisma }: Database, { agentId }: Pick<AgentKey, 'agentId'>) =>
  prisma.invocation.findMany({ where: { agentId }, orderBy: { id: 'asc' } });

export const logOf = ({ prisma }: Database, { agentId }: Pick<AgentKey, 'agentId'>) =>
  prisma.logEntry.findMany({ where: { agentId }, orderBy: { id: 'asc' } });

/** Makes schedules due again. */
export const makeDue = (
  { prisma }: Database,
  { agentId }: Pick<AgentKey, 'agentId'>,
  nextAt: Date | null = secondsAgo(1),
) => prisma.schedule.updateMany({ where: { agentId }, data: { nextAt } });

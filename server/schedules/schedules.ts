/** The schedules of agents: what has become of them, and what the operator does with them. */
import type { AgentSchedule } from '../../generated/api.js';
import { agentNotFound, type Caller } from '../accounts/caller.js';
import { getAgent, type StoredAgent } from '../agents/agents.js';
import { logAgentChange } from '../agents/changes.js';
import { notFound, ServiceError, tooManyInvocations } from '../contract/errors.js';
import { enqueueInvocations, invocationChannel } from '../invocations/queue.sql.js';
import { newId } from '../lib/data/typeid.js';
import { nextTick } from '../lib/time/calendar.js';
import { notify } from '../postgres/notify.sql.js';
import type { Database, Queryable, Transaction } from '../postgres/database.js';
import {
  findUnfinished,
  listStates,
  lockSchedule,
  moveSchedules,
  type ScheduleState,
  type StoredSchedule,
} from './queue.sql.js';
import { invocationOf, ranAt } from './tick.js';

interface ScheduleFilter {
  /** Its id or name; undefined: every agent of the account. */
  agent: string | undefined;
}

/** By agent and name. */
export async function listSchedules(
  database: Database,
  caller: Caller,
  { agent }: ScheduleFilter,
): Promise<ScheduleState[]> {
  const { accountId } = caller;
  const agentId = agent === undefined ? undefined : (await getAgent(database, caller, agent)).id;
  return listStates(database, { accountId, agentId });
}

/** As Get Agent shows them to a caller. */
export async function describeSchedules(
  database: Queryable,
  caller: Caller,
  agentId: string,
): Promise<AgentSchedule[]> {
  const found = await listStates(database, { accountId: caller.accountId, agentId });
  return found.map((schedule) => presentSchedule(schedule, caller));
}

/**
 * A caller with a token must learn nothing about other users: it sees the context of a schedule that acts for its own user, and the message
 * also if the schedule acts for none.
 */
export function presentSchedule(
  { name, cron, timezone, message, context, nextAt, ...last }: ScheduleState,
  { userId }: Pick<Caller, 'userId'>,
): AgentSchedule {
  const owner = context?.['user_id'];
  const isOwn = userId === null || owner === userId;
  return {
    name,
    cron,
    timezone,
    ...(isOwn || owner === undefined ? { message } : {}),
    ...(isOwn && context !== null ? { context } : {}),
    paused: nextAt === null,
    next_at: nextAt?.toISOString() ?? null,
    ...lastRunOf(last),
  };
}

function lastRunOf({
  lastAt,
  lastRequestId,
  lastSkipped,
  isWaiting,
  status,
}: Pick<ScheduleState, 'lastAt' | 'lastRequestId' | 'lastSkipped' | 'isWaiting' | 'status'>): Pick<
  AgentSchedule,
  'last_run'
> {
  if (lastAt === null || lastRequestId === null) return {};
  const outcome = lastSkipped ? 'skipped' : isWaiting ? 'waiting' : status;
  const run = { at: lastAt.toISOString(), request_id: lastRequestId };
  return { last_run: { ...run, ...(outcome === null ? {} : { outcome }) } };
}

interface ScheduleReference {
  /** The agent's id or name. */
  agent: string;
  name: string;
}

/** Runs a schedule now, in addition to its times. Returns the request id. */
export async function runSchedule(
  database: Database,
  caller: Caller,
  reference: ScheduleReference,
): Promise<string> {
  const { accountId, limits } = caller;
  return changeSchedule(database, caller, reference, async (transaction, { agent, schedule }) => {
    if (agent.status === 'stopped') {
      throw new ServiceError('conflict', `Agent '${agent.name}' is stopped. Start it first.`);
    }
    const [unfinished] = await findUnfinished(transaction, accountId, [schedule]);
    if (unfinished !== undefined) {
      throw new ServiceError('conflict', `Its last invocation, '${unfinished}', still runs.`);
    }
    const invocation = invocationOf(schedule, schedule.now);
    const { id: requestId } = invocation;
    const maxQueued = limits.asyncInvocations;
    const invocations = [invocation];
    const [outcome] = await enqueueInvocations(transaction, { accountId, invocations, maxQueued });
    if (outcome === 'agent_gone') throw agentNotFound(agent.name);
    if (outcome === 'too_many') {
      throw tooManyInvocations('asynchronous invocations waiting or running', maxQueued);
    }
    const ran = ranAt(schedule, { at: schedule.now, requestId });
    await moveSchedules(transaction, accountId, [ran]);
    await log(transaction, schedule, { what: 'run by the operator', requestId });
    await notify(transaction, invocationChannel);
    return requestId;
  });
}

/** Does nothing if it is paused. */
export async function pauseSchedule(
  database: Database,
  caller: Caller,
  reference: ScheduleReference,
): Promise<void> {
  await changeSchedule(database, caller, reference, async (transaction, { schedule }) => {
    if (schedule.nextAt === null) return;
    await moveSchedules(transaction, caller.accountId, [{ ...schedule, nextAt: null }]);
    await log(transaction, schedule, { what: 'paused' });
  });
}

/** Returns when it is due next. What it has missed while it was paused does not run. */
export async function resumeSchedule(
  database: Database,
  caller: Caller,
  reference: ScheduleReference,
): Promise<Date | null> {
  return changeSchedule(database, caller, reference, async (transaction, { schedule }) => {
    if (schedule.nextAt !== null) return schedule.nextAt;
    const nextAt = nextTick(schedule, schedule.now) ?? null;
    await moveSchedules(transaction, caller.accountId, [{ ...schedule, nextAt }]);
    await log(transaction, schedule, { what: 'resumed' });
    return nextAt;
  });
}

interface FoundSchedule {
  agent: StoredAgent;
  schedule: StoredSchedule & { now: Date };
}

/** Locks the schedule. */
async function changeSchedule<Result>(
  database: Database,
  caller: Caller,
  { agent: reference, name }: ScheduleReference,
  change: (transaction: Transaction, found: FoundSchedule) => Promise<Result>,
): Promise<Result> {
  const { accountId } = caller;
  const agent = await getAgent(database, caller, reference);
  return database.transaction(async (transaction) => {
    const key = { accountId, agentId: agent.id, name };
    const schedule = await lockSchedule(transaction, key);
    if (!schedule) throw notFound(`schedule '${name}' of agent '${agent.name}'`);
    return change(transaction, { agent, schedule });
  });
}

async function log(
  transaction: Transaction,
  { accountId, agentId, name }: StoredSchedule,
  { what, requestId = newId('req') }: { what: string; requestId?: string },
): Promise<void> {
  const message = `Schedule ${name} ${what}.`;
  const metadata = { schedule: name };
  await logAgentChange(transaction, { accountId, agentId, requestId, message, metadata });
}

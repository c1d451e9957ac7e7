/**
 * The schedules that are due. They are claimed account by account, each in the transaction that queues its invocation and moves it to its
 * next time, so that one of several instances does both, or none.
 * Why SQL: SKIP LOCKED and the database's clock; Prisma supports neither.
 */
import type { AgentStatus } from '../../generated/api.js';
import type { InvocationStatus, Schedule } from '../../generated/prisma/client.js';
import type { Caps, Tier } from '../accounts/tiers.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import { assigned, jsonRows, rowsFrom, selected } from '../postgres/rows.sql.js';

/** An account that has schedules which are due, now or soon. */
export interface DueAccount {
  accountId: string;
  tier: Tier;
  caps: Caps | null;
  /** Until its first schedule is due; negative if it is overdue. */
  inMs: number;
}

// $1 milliseconds, $2 limit.
const findDue: Statement = {
  name: 'schedules_find_due',
  text: `
    SELECT s.account_id AS "accountId", a.tier::text AS tier, a.caps,
           (extract(epoch FROM min(s.next_at) - now()) * 1000)::float8 AS "inMs"
      FROM schedules s
      JOIN accounts a ON a.id = s.account_id
     WHERE s.next_at <= now() + $1 * interval '1 ms'
     GROUP BY s.account_id, a.id, a.tier, a.caps
     ORDER BY min(s.next_at) LIMIT $2`,
};

/** The accounts whose schedules are due within a time, those that have waited longest first. */
export function findDueAccounts(
  database: Queryable,
  { withinMs, limit }: { withinMs: number; limit: number },
): Promise<DueAccount[]> {
  return database.run<DueAccount & object>(findDue, [withinMs, limit]);
}

const fields = [
  'accountId',
  'agentId',
  'name',
  'cron',
  'timezone',
  'message',
  'context',
  'nextAt',
  'lastAt',
  'lastRequestId',
  'lastSkipped',
] as const satisfies (keyof Schedule)[];

/** Prisma allows any JSON as context. */
export interface StoredSchedule extends Omit<Pick<Schedule, (typeof fields)[number]>, 'context'> {
  context: Readonly<Record<string, unknown>> | null;
}

export interface DueSchedule extends StoredSchedule {
  nextAt: Date;
  /** Null: the agent was deleted. */
  agentStatus: AgentStatus | null;
  now: Date;
}

// $1 account, $2 limit.
const claim: Statement = {
  name: 'schedules_claim',
  text: `
    WITH due AS MATERIALIZED (
      SELECT * FROM schedules WHERE account_id = $1 AND next_at <= now()
       ORDER BY next_at LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    SELECT ${selected('due', fields)}, a.status::text AS "agentStatus", now() AS now
      FROM due LEFT JOIN agents a ON a.account_id = $1 AND a.id = due.agent_id
     ORDER BY due.next_at`,
};

/** Locks due schedules of an account until the transaction ends, except those that another one has locked. */
export function claimDue(
  transaction: Queryable,
  accountId: string,
  limit: number,
): Promise<DueSchedule[]> {
  return transaction.run<DueSchedule & object>(claim, [accountId, limit]);
}

// $1 account, $2 agent, $3 name.
const lock: Statement = {
  name: 'schedules_lock',
  text: `
    SELECT ${selected('s', fields)}, now() AS now FROM schedules s
     WHERE s.account_id = $1 AND s.agent_id = $2 AND s.name = $3 FOR UPDATE`,
};

export type ScheduleKey = Pick<Schedule, 'accountId' | 'agentId' | 'name'>;

/** Locks a schedule until the transaction ends. Undefined: there is none. */
export async function lockSchedule(
  transaction: Queryable,
  { accountId, agentId, name }: ScheduleKey,
): Promise<(StoredSchedule & { now: Date }) | undefined> {
  const values = [accountId, agentId, name];
  const [found] = await transaction.run<StoredSchedule & { now: Date }>(lock, values);
  return found;
}

// $1 account, $2 agents, $3 ids. One that waits for approval has succeeded.
const findUnfinishedIds: Statement = {
  name: 'schedules_find_unfinished',
  text: `
    SELECT id FROM invocations
     WHERE account_id = $1 AND agent_id = ANY ($2::text[]) AND id = ANY ($3::text[]) AND status IN ('queued', 'running')`,
};

/** The last invocations of the schedules that still wait or run. */
export async function findUnfinished(
  transaction: Queryable,
  accountId: string,
  schedules: readonly StoredSchedule[],
): Promise<Set<string>> {
  const ids = schedules.flatMap(({ lastRequestId }) => lastRequestId ?? []);
  if (ids.length === 0) return new Set();
  const agents = [...new Set(schedules.map(({ agentId }) => agentId))];
  const values = [accountId, agents, ids];
  const found = await transaction.run<{ id: string }>(findUnfinishedIds, values);
  return new Set(found.map(({ id }) => id));
}

/** A schedule, and what became of its last invocation. */
export interface ScheduleState extends StoredSchedule {
  agentName: string;
  /** Null: there is none, or it was deleted by age. */
  status: InvocationStatus | null;
  /** Whether it waits for approval. */
  isWaiting: boolean;
}

const list = (name: string, { of, order }: { of: string; order: string }): Statement => ({
  name,
  text: `
    SELECT ${selected('s', fields)}, a.name AS "agentName", i.status::text AS status, p.request_id IS NOT NULL AS "isWaiting"
      FROM schedules s
      JOIN agents a ON a.id = s.agent_id
      LEFT JOIN invocations i ON i.account_id = $1 AND i.agent_id = s.agent_id AND i.id = s.last_request_id
      LEFT JOIN paused_runs p ON p.account_id = $1 AND p.request_id = s.last_request_id
     WHERE s.account_id = $1 AND ${of}
     ORDER BY ${order}`,
});

const listOfAccount = list('schedules_list', { of: 'true', order: 'a.name, s.name' });
const listOfAgent = list('schedules_list_of_agent', { of: 's.agent_id = $2', order: 's.name' });

/** By agent and name. Of every agent of the account, unless one is given. */
export function listStates(
  database: Queryable,
  { accountId, agentId }: { accountId: string; agentId: string | undefined },
): Promise<ScheduleState[]> {
  return agentId === undefined
    ? database.run<ScheduleState & object>(listOfAccount, [accountId])
    : database.run<ScheduleState & object>(listOfAgent, [accountId, agentId]);
}

const movedColumns = {
  nextAt: 'timestamptz',
  lastAt: 'timestamptz',
  lastRequestId: 'text',
  lastSkipped: 'boolean',
} as const satisfies Partial<Record<keyof Schedule, string>>;

const movedRow = { ...movedColumns, agentId: 'text', name: 'text' } as const;

export type MovedSchedule = Pick<Schedule, keyof typeof movedRow>;

// $1 account, $2 rows.
const move: Statement = {
  name: 'schedules_move',
  text: `
    UPDATE schedules s SET ${assigned('m', movedColumns)}
      FROM ${rowsFrom('$2', 'm', movedRow)}
     WHERE s.account_id = $1 AND s.agent_id = m."agentId" AND s.name = m.name`,
};

/** The caller must have locked them. */
export async function moveSchedules(
  transaction: Queryable,
  accountId: string,
  moved: readonly MovedSchedule[],
): Promise<void> {
  if (moved.length > 0) await transaction.run(move, [accountId, jsonRows(movedRow, moved)]);
}

// $1 account, $2 agents.
const forget: Statement = {
  name: 'schedules_forget',
  text: 'DELETE FROM schedules WHERE account_id = $1 AND agent_id = ANY ($2::text[])',
};

/** Deletes the schedules of agents that an instance of 0.1.0 has deleted, which knows no schedules. */
export async function forgetAgents(
  transaction: Queryable,
  accountId: string,
  agentIds: readonly string[],
): Promise<void> {
  if (agentIds.length > 0) await transaction.run(forget, [accountId, agentIds]);
}

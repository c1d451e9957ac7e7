/** What a schedule that is due does now: it makes an invocation, or not, and moves to its next time. */
import { messageOf } from '../lib/errors/error-code.js';
import { newId } from '../lib/data/typeid.js';
import { lastTick, nextTick } from '../lib/time/calendar.js';
import type { QueuedInvocation } from '../invocations/invocation.js';
import type { LogRecord } from '../invocations/record.js';
import type { DueSchedule, MovedSchedule, StoredSchedule } from './queue.sql.js';

/** An entry of the agent's log, under the request that it is about. */
export interface TickEntry extends LogRecord {
  agentId: string;
  requestId: string;
  /** Schedules run in production. */
  environment: null;
}

export interface Tick {
  /** Undefined: nothing runs. */
  invocation?: QueuedInvocation;
  moved: MovedSchedule;
  entry?: TickEntry;
}

/** A delay of up to a minute is not worth a line in the log. */
const lateMs = 60_000;

/** `unfinished` are the invocations that still wait or run. */
export function tickOf(schedule: DueSchedule, unfinished: ReadonlySet<string>): Tick {
  const { nextAt: first, now, agentStatus, lastRequestId } = schedule;
  let at: Date;
  let nextAt: Date | null;
  try {
    at = lastTick(schedule, { first, until: now });
    nextAt = nextTick(schedule, now) ?? null;
  } catch (error) {
    // This process may know fewer time zones than the one that applied the manifest.
    return paused(schedule, messageOf(error));
  }
  if (agentStatus === 'stopped') return { moved: { ...schedule, nextAt } };
  if (lastRequestId !== null && unfinished.has(lastRequestId)) {
    const moved = { ...schedule, nextAt, lastAt: at, lastSkipped: true };
    return { moved, entry: skipEntry(schedule, { at, requestId: lastRequestId }) };
  }
  const invocation = invocationOf(schedule, now);
  const moved = ranAt(schedule, { at, requestId: invocation.id });
  const isLate = now.getTime() - first.getTime() >= lateMs;
  return {
    invocation,
    moved: { ...moved, nextAt },
    ...(isLate ? { entry: lateEntry(schedule, { at, requestId: invocation.id }) } : {}),
  };
}

interface TickTime {
  at: Date;
  requestId: string;
}

export function ranAt(schedule: StoredSchedule, { at, requestId }: TickTime): MovedSchedule {
  return { ...schedule, lastAt: at, lastRequestId: requestId, lastSkipped: false };
}

/** It acts for the user of its context, and for no key. */
export function invocationOf(
  { accountId, agentId, name, message, context }: StoredSchedule,
  createdAt: Date,
): QueuedInvocation {
  return {
    id: newId('req'),
    accountId,
    agentId,
    userId: textIn(context, 'user_id'),
    sessionId: textIn(context, 'session_id'),
    context,
    createdBy: null,
    createdAt,
    message,
    idempotencyId: null,
    traceContext: null,
    environment: null,
    hops: 0,
    hasActed: false,
    schedule: name,
  };
}

function textIn(context: StoredSchedule['context'], key: string): string | null {
  const value = context?.[key];
  return typeof value === 'string' ? value : null;
}

function skipEntry(schedule: DueSchedule, { at, requestId }: TickTime): TickEntry {
  const message = `Schedule ${schedule.name} skipped ${at.toISOString()}: its invocation of the time before still runs`;
  return entryOf(schedule, { level: 'warn', message, requestId, metadata: { scheduled_at: at } });
}

function lateEntry(schedule: DueSchedule, { at, requestId }: TickTime): TickEntry {
  const { name, nextAt: first, now } = schedule;
  const late = now.getTime() - at.getTime();
  const missed = first < at ? { missed_since: first } : {};
  const others =
    first < at ? `, and not for the times before it, since ${first.toISOString()}` : '';
  const message = `Schedule ${name} runs for ${at.toISOString()}, ${Math.round(late / 1_000)} s late${others}`;
  const metadata = { scheduled_at: at, late_ms: late, ...missed };
  return entryOf(schedule, { level: 'warn', message, requestId, metadata });
}

function paused(schedule: DueSchedule, reason: string): Tick {
  const message = `Schedule ${schedule.name} is paused, because its next time cannot be computed: ${reason}`;
  const entry = entryOf(schedule, { level: 'error', message, requestId: newId('req') });
  return { moved: { ...schedule, nextAt: null }, entry };
}

interface EntryParts extends Pick<LogRecord, 'level' | 'message'> {
  requestId: string;
  metadata?: LogRecord['metadata'];
}

function entryOf(
  { agentId, name, now }: DueSchedule,
  { requestId, metadata = {}, ...entry }: EntryParts,
): TickEntry {
  const id = newId('log');
  return {
    id,
    agentId,
    requestId,
    environment: null,
    loggedAt: now,
    metadata: { schedule: name, ...metadata },
    ...entry,
  };
}

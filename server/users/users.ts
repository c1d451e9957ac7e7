/** Erases a user of an account: messages, memory, sessions, and everything else that names the user. */
import { setTimeout as delay } from 'node:timers/promises';
import { Prisma } from '../../generated/prisma/client.js';
import type { Caller } from '../accounts/caller.js';
import { longestRunMs, longestWaitMs } from '../contract/agent-options.js';
import { ServiceError } from '../contract/errors.js';
import { dropResponses } from '../idempotency/sealed-response.js';
import { cancelInvocation, type CancellationParts } from '../invocations/cancel.js';
import { sessionName } from '../invocations/sessions/lease.sql.js';
import { listWaiting } from '../invocations/waiting.sql.js';
import { currentTime } from '../lib/time/clock.js';
import { deleteEntriesOfUser } from '../memory/memory.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import { objectOf } from '../postgres/json.js';

export interface Erasure {
  invocations: number;
  logEntries: number;
  events: number;
  storedAnswers: number;
  streamEvents: number;
  memoryEntries: number;
  sessions: number;
  /** Of runs that were going on or waited for approval. */
  runSteps: number;
  /** Schedules that act for the user. */
  schedules: number;
  /** Asynchronous invocations that were queued or running, and invocations that waited for approval. */
  cancelled: number;
}

interface ErasureParts extends CancellationParts {
  caller: Caller;
  userId: string;
  /** The maximum number of rows per transaction. */
  batch?: number;
  /** How many invocations are scanned at a time. */
  range?: number;
}

interface ErasurePass extends Required<ErasureParts> {
  /** Invocations of before were erased by an earlier pass. */
  after: Date;
}

/** Bounds the erasure of a user who keeps sending messages. */
const maxPasses = 5;

/** In which agents that a cancelled invocation had asked end, and are recorded. */
const settleMs = 2_000;

/**
 * Each step is a transaction, so the erasure can be interrupted and repeated at any time. It makes passes until one finds nothing.
 * An invocation without a session that is running during the erasure is recorded when it ends, so a later erasure must remove it.
 */
export async function eraseUser(parts: ErasureParts): Promise<Erasure> {
  const startedAt = currentTime();
  const pass = { batch: 500, range: 5_000, ...parts };
  let total = await erasePass({ ...pass, after: new Date(0) });
  if (total.cancelled > 0) await delay(settleMs);
  // The first pass has covered all older invocations but those that run: a synchronous one for longestWaitMs at most, and an agent that an
  // asynchronous one has asked for as long as that.
  const longestMs = total.cancelled > 0 ? longestRunMs : longestWaitMs;
  for (let last = total, count = 2; count <= maxPasses && !isEmpty(last); count += 1) {
    last = await erasePass({ ...pass, after: new Date(startedAt - 2 * longestMs) });
    total = sum(total, last);
  }
  return total;
}

async function erasePass(pass: ErasurePass): Promise<Erasure> {
  const { database, caller, userId, batch } = pass;
  const { accountId } = caller;
  // Before what they have queued.
  const { count: schedules } = await database.prisma.schedule.deleteMany({
    where: { accountId, context: { path: ['user_id'], equals: userId } },
  });
  const cancelled = await cancelWaiting(pass);
  // A synchronous run that is going on keeps what it has in memory, and is recorded when it ends.
  const { count: runSteps } = await database.prisma.runStep.deleteMany({
    where: { accountId, userId },
  });
  let total: Erasure = { ...emptyErasure, cancelled, runSteps, schedules };
  const agents = await database.prisma.agent.findMany({
    where: { accountId },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  for (const { id: agentId } of agents) {
    // Sessions first: without its lease, a running invocation can no longer record its messages.
    const agent = { accountId, agentId };
    const sessions = await eraseSessionLeases(database, agent, userId);
    const traces = await eraseInvocations(agent, pass);
    const memoryEntries = await deleteEntriesOfUser(database, { ...agent, userId, batch });
    total = sum(total, { ...traces, sessions, memoryEntries });
  }
  return total;
}

async function cancelWaiting(pass: ErasurePass): Promise<number> {
  const { database, caller, userId, batch } = pass;
  const waiting = await listWaiting(database, {
    accountId: caller.accountId,
    userId,
    limit: batch,
  });
  let cancelled = 0;
  const paused = await database.prisma.pausedRun.findMany({
    where: { accountId: caller.accountId, userId },
    select: { requestId: true },
    take: batch,
  });
  const ids = [...waiting.map(({ id }) => id), ...paused.map(({ requestId }) => requestId)];
  for (const id of ids) {
    const isCancelled = await cancelInvocation(pass, caller, id).then(
      () => true,
      (error: unknown) => {
        // The invocation has ended or its agent was deleted in the meantime.
        if (error instanceof ServiceError) return false;
        throw error;
      },
    );
    if (isCancelled) cancelled += 1;
  }
  const isLast = waiting.length < batch && paused.length < batch;
  return isLast ? cancelled : cancelled + (await cancelWaiting(pass));
}

interface AgentKey {
  accountId: string;
  agentId: string;
}

/** The name of a lease begins with the user and a comma. Names sort by bytes, so a range matches the prefix. */
async function eraseSessionLeases(
  { prisma }: Connection,
  { accountId, agentId }: AgentKey,
  userId: string,
): Promise<number> {
  const [user = ''] = sessionName({ userId, sessionId: '', environment: null }).split(/,""\]$/);
  const where = { accountId, agentId, sessionId: { gte: `${user},`, lt: `${user}-` } };
  return (await prisma.sessionLease.deleteMany({ where })).count;
}

async function eraseInvocations(
  agent: AgentKey,
  { database, userId, batch, range: count, after }: ErasurePass,
): Promise<Erasure> {
  let total = emptyErasure;
  for (let from: Date | undefined = after; from;) {
    const range: InvocationRange = await nextRange(database, agent, from, count);
    for (let erased = batch; erased === batch;) {
      const step = { ...range, userId, batch };
      const traces = await database.transaction((transaction) => eraseBatch(transaction, step));
      erased = traces.invocations;
      total = sum(total, traces);
    }
    from = range.through;
  }
  return total;
}

/** A time range of an agent's invocations; excludes `after` and includes `through`. */
interface InvocationRange extends AgentKey {
  after: Date;
  /** Undefined: the range has no end. */
  through: Date | undefined;
}

/** Returns a range with about `count` invocations. No index finds those of a user, so they are scanned range by range. */
async function nextRange(
  { prisma }: Connection,
  { accountId, agentId }: AgentKey,
  after: Date,
  count: number,
): Promise<InvocationRange> {
  const last = await prisma.invocation.findFirst({
    where: { accountId, agentId, createdAt: { gt: after } },
    select: { createdAt: true },
    orderBy: { createdAt: 'asc' },
    skip: count,
  });
  return { accountId, agentId, after, through: last?.createdAt };
}

/**
 * Erases up to `batch` finished invocations of the user, with all rows that refer to them; with the last of them also log entries that a
 * crash left without an invocation. Must be one transaction: apart from those entries, only the invocation's row identifies the user.
 */
async function eraseBatch(
  transaction: Transaction,
  {
    accountId,
    agentId,
    after,
    through,
    userId,
    batch,
  }: InvocationRange & { userId: string; batch: number },
): Promise<Erasure> {
  const { prisma } = transaction;
  const found = await prisma.invocation.findMany({
    where: {
      accountId,
      agentId,
      userId,
      createdAt: { gt: after, ...(through ? { lte: through } : {}) },
      status: { in: ['succeeded', 'failed'] },
    },
    select: { id: true, idempotencyId: true },
    take: batch,
  });
  const ids = found.map(({ id }) => id);
  const keyed = found.flatMap(({ id: owner, idempotencyId: id }) => (id ? [{ id, owner }] : []));
  const storedAnswers = await dropResponses(transaction, accountId, keyed);
  const streamEvents = await deleteStreams(transaction, { accountId, agentId, ids, keyed });
  const logEntries =
    (await anonymizeLogs(transaction, accountId, { requestId: { in: ids } })) +
    (found.length < batch
      ? await anonymizeLogs(transaction, accountId, {
          agentId,
          loggedAt: { gt: after, ...(through ? { lte: through } : {}) },
          metadata: { path: ['user_id'], equals: userId },
        })
      : 0);
  const events = await deleteEvents(transaction, accountId, ids);
  const { count: invocations } = await prisma.invocation.updateMany({
    where: { accountId, agentId, id: { in: ids } },
    data: { userId: null, sessionId: null, context: Prisma.DbNull, message: null },
  });
  return { ...emptyErasure, invocations, logEntries, events, storedAnswers, streamEvents };
}

interface StreamsOfRequests extends AgentKey {
  ids: string[];
  keyed: readonly { id: Uint8Array<ArrayBuffer> }[];
}

/** The streams of repeats that went on with a run are those of its Idempotency-Key. */
async function deleteStreams(
  { prisma }: Transaction,
  { accountId, agentId, ids, keyed }: StreamsOfRequests,
): Promise<number> {
  const first = await prisma.streamEvent.deleteMany({
    where: { accountId, streamId: { in: ids } },
  });
  const repeated = await prisma.idempotencyRecord.findMany({
    where: { accountId, id: { in: keyed.map(({ id }) => id) }, requestId: { in: ids } },
    select: { id: true, owner: true, requestId: true },
  });
  const keys = repeated.filter(({ owner, requestId }) => owner !== requestId).map(({ id }) => id);
  if (keys.length === 0) return first.count;
  const others = await prisma.streamEvent.deleteMany({
    where: { accountId, agentId, idempotencyId: { in: keys } },
  });
  return first.count + others.count;
}

/** Also deletes their deliveries. */
async function deleteEvents(
  { prisma }: Transaction,
  accountId: string,
  requestIds: string[],
): Promise<number> {
  const where = { accountId, requestId: { in: requestIds } };
  const events = await prisma.event.findMany({ where, select: { id: true } });
  const eventIds = events.map(({ id }) => id);
  await prisma.delivery.deleteMany({ where: { accountId, eventId: { in: eventIds } } });
  return (await prisma.event.deleteMany({ where: { accountId, id: { in: eventIds } } })).count;
}

/**
 * Metadata of log entries that may identify a user, who is named beside what tools and models repeat. The output of a model or tool
 * may repeat the user's words.
 */
const personalKeys = new Set(['user_id', 'session_id', 'arguments', 'said']);

async function anonymizeLogs(
  { prisma }: Transaction,
  accountId: string,
  which: Prisma.LogEntryWhereInput,
): Promise<number> {
  const entries = await prisma.logEntry.findMany({
    where: { accountId, ...which },
    select: { id: true, metadata: true },
  });
  // Groups entries by their remaining metadata: most have none, and share one statement.
  const byRest = new Map<string, string[]>();
  for (const { id, metadata } of entries) {
    const kept = Object.entries(objectOf(metadata) ?? {});
    const rest = kept.filter(([key]) => !personalKeys.has(key));
    if (rest.length === kept.length) continue;
    const key = JSON.stringify(Object.fromEntries(rest));
    byRest.set(key, [...(byRest.get(key) ?? []), id]);
  }
  let changed = 0;
  for (const [rest, ids] of byRest) {
    const { count } = await prisma.logEntry.updateMany({
      where: { accountId, ...which, id: { in: ids } },
      data: { metadata: JSON.parse(rest) as Prisma.InputJsonObject },
    });
    changed += count;
  }
  return changed;
}

const emptyErasure: Erasure = {
  invocations: 0,
  logEntries: 0,
  events: 0,
  storedAnswers: 0,
  streamEvents: 0,
  runSteps: 0,
  schedules: 0,
  memoryEntries: 0,
  sessions: 0,
  cancelled: 0,
};

const kinds = Object.keys(emptyErasure) as (keyof Erasure)[];

function sum(one: Erasure, other: Erasure): Erasure {
  const sums = kinds.map((kind) => [kind, one[kind] + other[kind]]);
  return Object.fromEntries(sums) as Record<keyof Erasure, number>;
}

function isEmpty(erasure: Erasure): boolean {
  return Object.values(erasure).every((count) => count === 0);
}

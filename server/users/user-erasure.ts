/** Erases the data of one user from an account's rows, in small steps. Memory entries are erased separately. */
import { Prisma } from '../../generated/prisma/client.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import { objectOf } from '../postgres/json.js';
import { dropResponses } from '../idempotency/sealed-response.js';
import { sessionName } from '../invocations/sessions/lease.sql.js';

export async function listAgentIds({ prisma }: Connection, accountId: string): Promise<string[]> {
  const agents = await prisma.agent.findMany({
    where: { accountId },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  return agents.map(({ id }) => id);
}

export interface AgentKey {
  accountId: string;
  agentId: string;
}

/** The name of a lease begins with the user and a comma. Names sort by bytes, so a range matches the prefix. */
export async function eraseSessionLeases(
  { prisma }: Connection,
  { accountId, agentId }: AgentKey,
  userId: string,
): Promise<number> {
  const [user = ''] = sessionName({ userId, sessionId: '' }).split(/,""\]$/);
  const where = { accountId, agentId, sessionId: { gte: `${user},`, lt: `${user}-` } };
  return (await prisma.sessionLease.deleteMany({ where })).count;
}

/** A time range of an agent's invocations; excludes `after` and includes `through`. */
export interface InvocationRange extends AgentKey {
  after: Date;
  /** Undefined: the range has no end. */
  through: Date | undefined;
}

/** Returns a range with about `count` invocations. No index finds those of a user, so they are scanned range by range. */
export async function nextRange(
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

export interface ErasedRows {
  invocations: number;
  logEntries: number;
  events: number;
  storedAnswers: number;
  streamEvents: number;
}

interface InvocationErasure extends InvocationRange {
  userId: string;
  batch: number;
}

/**
 * Erases up to `batch` finished invocations of the user, with all rows that refer to them; with the last of them also log entries that a
 * crash left without an invocation. Must be one transaction: apart from those entries, only the invocation's row identifies the user.
 */
export async function eraseInvocations(
  transaction: Transaction,
  { accountId, agentId, after, through, userId, batch }: InvocationErasure,
): Promise<ErasedRows> {
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
  const { count: streamEvents } = await prisma.streamEvent.deleteMany({
    where: { accountId, streamId: { in: ids } },
  });
  const keyed = found.flatMap(({ id: owner, idempotencyId: id }) => (id ? [{ id, owner }] : []));
  const storedAnswers = await dropResponses(transaction, accountId, keyed);
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
  return { invocations, logEntries, events, storedAnswers, streamEvents };
}

/** Metadata of log entries that may identify a user, who is named beside what tools and models repeat. The output of a model or tool may repeat the user's words. */
const personalKeys = new Set(['user_id', 'session_id', 'arguments', 'said']);

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

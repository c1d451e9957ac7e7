/** Erases a user of an account: messages, memory, sessions, and everything else that names the user. */
import type { Database } from '../store/postgres/database.js';
import { listWaiting } from '../store/invocations/admin.js';
import { deleteEntriesOfUser } from '../store/memory/clearing.js';
import * as store from '../store/retention/user-erasure.js';
import type { Caller } from './caller.js';
import { ServiceError } from './errors.js';
import { cancelInvocation } from './invocations/cancel.js';
import type { InvocationParts } from './invocations/invocations.js';
import { currentTime } from '../lib/time/clock.js';

export interface Erasure extends store.ErasedRows {
  memoryEntries: number;
  sessions: number;
  /** Asynchronous invocations that were queued or running. */
  cancelled: number;
}

interface ErasureOptions {
  storedOutcome: InvocationParts['storedOutcome'];
  /** The maximum number of rows per transaction. */
  batch?: number;
  /** How many invocations are scanned at a time. */
  range?: number;
}

/** The longest timeout of an agent. */
export const longestInvocationMs = 600_000;

/** Bounds the erasure of a user who keeps sending messages. */
const maxPasses = 5;

/**
 * Each step is a transaction, so the erasure can be interrupted and repeated at any time. It makes passes until one finds nothing.
 * An invocation without a session that is running during the erasure is recorded when it ends, so a later erasure must remove it.
 */
export async function eraseUser(
  database: Database,
  caller: Caller,
  userId: string,
  options: ErasureOptions,
): Promise<Erasure> {
  const startedAt = currentTime();
  let total = await erasePass(database, caller, userId, { ...options, after: new Date(0) });
  for (let last = total, pass = 2; pass <= maxPasses && !isEmpty(last); pass += 1) {
    // The first pass has covered all older invocations.
    const after = new Date(startedAt - 2 * longestInvocationMs);
    last = await erasePass(database, caller, userId, { ...options, after });
    total = sum(total, last);
  }
  return total;
}

async function erasePass(
  database: Database,
  caller: Caller,
  userId: string,
  options: ErasureOptions & { after: Date },
): Promise<Erasure> {
  const cancelled = await cancelWaiting(database, caller, userId, options);
  let total: Erasure = { ...emptyErasure, cancelled };
  for (const agentId of await store.listAgentIds(database, caller.accountId)) {
    // Sessions first: without its lease, a running invocation can no longer record its messages.
    const agent = { accountId: caller.accountId, agentId };
    const sessions = await store.eraseSessionLeases(database, agent, userId);
    const traces = await eraseInvocations(database, agent, userId, options);
    const memoryEntries = await deleteEntriesOfUser(database, { ...agent, userId, ...options });
    total = sum(total, { ...emptyErasure, ...traces, sessions, memoryEntries });
  }
  return total;
}

async function cancelWaiting(
  database: Database,
  caller: Caller,
  userId: string,
  { storedOutcome, batch = defaultBatch }: ErasureOptions,
): Promise<number> {
  const waiting = await listWaiting(database, {
    accountId: caller.accountId,
    userId,
    limit: batch,
  });
  let cancelled = 0;
  for (const { id } of waiting) {
    const isCancelled = await cancelInvocation(database, caller, id, storedOutcome).then(
      () => true,
      (error: unknown) => {
        // The invocation has ended or its agent was deleted in the meantime.
        if (error instanceof ServiceError) return false;
        throw error;
      },
    );
    if (isCancelled) cancelled += 1;
  }
  return waiting.length < batch
    ? cancelled
    : cancelled + (await cancelWaiting(database, caller, userId, { storedOutcome, batch }));
}

async function eraseInvocations(
  database: Database,
  agent: store.AgentKey,
  userId: string,
  { batch = defaultBatch, range: count = 5_000, after }: ErasureOptions & { after: Date },
): Promise<store.ErasedRows> {
  let total = emptyErasure;
  for (let from: Date | undefined = after; from;) {
    const range: store.InvocationRange = await store.nextRange(database, agent, from, count);
    for (let erased = batch; erased === batch;) {
      const step = { ...range, userId, batch };
      const traces = await database.transaction((transaction) =>
        store.eraseInvocations(transaction, step),
      );
      erased = traces.invocations;
      total = sum(total, { ...emptyErasure, ...traces });
    }
    from = range.through;
  }
  return total;
}

const defaultBatch = 500;

const emptyErasure: Erasure = {
  invocations: 0,
  logEntries: 0,
  events: 0,
  storedAnswers: 0,
  streamEvents: 0,
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

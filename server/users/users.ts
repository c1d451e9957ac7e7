/** Erases a user of an account: messages, memory, sessions, and everything else that names the user. */
import { longestRunMs } from '../contract/agent-options.js';
import { listWaiting } from '../invocations/waiting.sql.js';
import { deleteEntriesOfUser } from '../memory/clearing.js';
import * as store from './user-erasure.js';
import type { Caller } from '../accounts/caller.js';
import { ServiceError } from '../contract/errors.js';
import { cancelInvocation, type CancellationParts } from '../invocations/cancel.js';
import { currentTime } from '../lib/time/clock.js';

export interface Erasure extends store.ErasedRows {
  memoryEntries: number;
  sessions: number;
  /** Asynchronous invocations that were queued or running. */
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

/**
 * Each step is a transaction, so the erasure can be interrupted and repeated at any time. It makes passes until one finds nothing.
 * An invocation without a session that is running during the erasure is recorded when it ends, so a later erasure must remove it.
 */
export async function eraseUser(parts: ErasureParts): Promise<Erasure> {
  const startedAt = currentTime();
  const pass = { batch: 500, range: 5_000, ...parts };
  let total = await erasePass({ ...pass, after: new Date(0) });
  for (let last = total, count = 2; count <= maxPasses && !isEmpty(last); count += 1) {
    // The first pass has covered all older invocations.
    last = await erasePass({ ...pass, after: new Date(startedAt - 2 * longestRunMs) });
    total = sum(total, last);
  }
  return total;
}

async function erasePass(pass: ErasurePass): Promise<Erasure> {
  const { database, caller, userId, batch } = pass;
  const { accountId } = caller;
  let total: Erasure = { ...emptyErasure, cancelled: await cancelWaiting(pass) };
  for (const agentId of await store.listAgentIds(database, accountId)) {
    // Sessions first: without its lease, a running invocation can no longer record its messages.
    const agent = { accountId, agentId };
    const sessions = await store.eraseSessionLeases(database, agent, userId);
    const traces = await eraseInvocations(agent, pass);
    const memoryEntries = await deleteEntriesOfUser(database, { ...agent, userId, batch });
    total = sum(total, { ...emptyErasure, ...traces, sessions, memoryEntries });
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
  for (const { id } of waiting) {
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
  return waiting.length < batch ? cancelled : cancelled + (await cancelWaiting(pass));
}

async function eraseInvocations(
  agent: store.AgentKey,
  { database, userId, batch, range: count, after }: ErasurePass,
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

/**
 * Records finished invocations, each in one transaction: the invocation, its log, its memory, its usage counts, its event
 * with deliveries, the release of its session lease, and its idempotency record. Writes nothing for an invocation that
 * lost any of its leases.
 */
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { EventType, LogLevel } from '../../generated/api.js';
import type { InvocationStatus, MemoryRole } from '../../generated/prisma/enums.js';
import { approximateSize } from '../lib/approximate-size.js';
import { type Batching, batched, restTwiceAsLong } from './batched.js';
import { batchedBy } from './batched-by.js';
import type { Queryable } from './connection.js';
import { deliveryChannel } from './deliveries.js';
import { createSubscriptions } from './event-subscriptions.js';
import { type Entry, rowsOf } from './invocation-rows.js';
import { sessionChannel } from './sessions.js';
import { recordStatement } from './sql/invocations-record.js';

export interface InvocationRecord {
  id: string;
  agentId: string;
  accountId: string;
  deploymentId: string | null;
  model: string;
  status: Extract<InvocationStatus, 'succeeded' | 'failed'>;
  userId: string | null;
  sessionId: string | null;
  context: Readonly<Record<string, unknown>> | null;
  /** False: its row keeps neither the user nor the session nor the context. */
  remember: boolean;
  tokensUsed: number | null;
  durationMs: number;
  errorCode: string | null;
  createdBy: string | null;
  createdAt: Date;
  finishedAt: Date;
  logs: readonly LogRecord[];
  memory: readonly MemoryRecord[];
  event: EventSource;
  /** The owner of the session lease, which is released; null without a session. */
  sessionOwner: string | null;
  /** The owner of an asynchronous invocation's lease; null for a synchronous one. */
  worker: string | null;
  idempotency: KeySettlement | null;
}

export interface LogRecord {
  id: string;
  at: Date;
  level: LogLevel;
  message: string;
  metadata: Readonly<Record<string, unknown>>;
}

export interface MemoryRecord {
  id: string;
  role: MemoryRole;
  content: string;
}

/** Stored only if webhooks subscribe to it, with a delivery for each; otherwise it is not even created. */
export interface EventSource {
  type: EventType;
  create: () => EventRecord;
}

export interface EventRecord {
  id: string;
  /** Sent unchanged by every attempt of every delivery. */
  body: string;
  /** The trace that its deliveries continue. */
  traceContext?: string | undefined;
}

export interface KeySettlement {
  id: Uint8Array;
  /** The owner that must still hold the key; null if it is not held, as after a 202. */
  owner: string | null;
  /** The response to replay. Null: the key is released. */
  response: { status: number; sealed: Uint8Array } | null;
}

/** `recorded`, or what was lost in the meantime, so that nothing was written. */
export type Recording = 'recorded' | 'agent_gone' | 'key_lost' | 'session_lost' | 'worker_lost';

export interface InvocationRecorder {
  record: (invocation: InvocationRecord) => Promise<Recording>;
}

/** What was held, as far as it was looked at: nothing else after the first that was not. */
interface Verdict {
  agent: boolean;
  worker: boolean;
  /** False: webhooks subscribe to its event, which was not sent. */
  event: boolean;
  session: boolean;
  key: boolean;
  /** How many webhooks its event goes to. */
  deliveries?: number;
}

type Written = Recording | 'event_wanted';

/**
 * Batches records: those that arrive while statements are in flight share the next one, and thus one disk flush. Long ones
 * wait for others of their account only, and nobody waits for them.
 */
export function createInvocationRecorder(
  database: Queryable,
  batching?: Batching<Entry>,
): InvocationRecorder {
  const subscriptions = createSubscriptions();
  const write = async (entries: readonly Entry[]) => {
    const invocations = entries.map(({ invocation }) => invocation);
    const held = {
      keys: invocations.some(({ idempotency }) => idempotency !== null),
      sessions: invocations.some(({ sessionOwner }) => sessionOwner !== null),
      work: invocations.some(({ worker }) => worker !== null),
      events: entries.some(({ event }) => event !== undefined),
    };
    const { json, answers } = rowsOf(entries);
    // To send long ones takes as long again: others go on in between.
    if ([...json, answers].some(({ length }) => length > veryLongText)) await nextIteration();
    const verdicts = await database.run<Verdict>(recordStatement(held), [
      ...json,
      ...(held.events ? [deliveryChannel] : []),
      ...(held.sessions ? [sessionChannel] : []),
      ...(held.keys ? [answers] : []),
    ]);
    invocations.forEach((invocation, n) => {
      const deliveries = verdicts[n]?.deliveries;
      if (deliveries !== undefined) subscriptions.note(invocation, deliveries);
    });
    return verdicts.map(resultOf);
  };
  const options = {
    weigh: ({ invocation, event }: Entry) =>
      weightOf(invocation, event) + subscriptions.of(invocation) * deliveryWeight,
    ...batching,
  };
  const writeShort = batched<Entry, Written>(write, options);
  const writeLong = batchedBy<Entry, Written>(({ invocation }) => invocation.accountId, write, {
    ...options,
    inFlight: 1,
    restMs: restTwiceAsLong,
  });
  const enqueue = (invocation: InvocationRecord, event?: EventRecord) => {
    const entry = { invocation, event };
    return options.weigh(entry) > longText ? writeLong(entry) : writeShort(entry);
  };
  return {
    async record(invocation) {
      const isWanted = subscriptions.of(invocation) > 0;
      const written = await enqueue(invocation, isWanted ? invocation.event.create() : undefined);
      if (written !== 'event_wanted') return written;
      const complete = await enqueue(invocation, invocation.event.create());
      if (complete === 'event_wanted') throw new Error('An event was sent and is still wanted.');
      return complete;
    },
  };
}

function resultOf({ agent, worker, event, session, key }: Verdict): Written {
  if (!agent) return 'agent_gone';
  if (!worker) return 'worker_lost';
  if (!event) return 'event_wanted';
  if (!session) return 'session_lost';
  return key ? 'recorded' : 'key_lost';
}

/** Approximate length of the text: a few long answers weigh as much as many short ones. */
function weightOf({ memory, context }: InvocationRecord, event: EventRecord | undefined): number {
  const ownLength = (event?.body.length ?? 0) + approximateSize(context);
  return memory.reduce((sum, { content }) => sum + content.length, ownLength);
}

/** About a hundred sentences. A long text takes the database as long as many short ones. */
const longText = 10_000;
/** Takes a while to write as JSON, and to send. */
const veryLongText = 500_000;
/** A row in three indexes costs about as much as so many characters. */
const deliveryWeight = 500;

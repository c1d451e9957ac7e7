/**
 * Records finished invocations, each in one transaction: the invocation, its log, its memory, its usage counts, its event
 * with deliveries, the release of its session lease, and its idempotency record. Writes nothing for an invocation that
 * lost any of its leases.
 */
import type { EventType, LogLevel } from '../../generated/api.js';
import type { InvocationStatus, MemoryRole } from '../../generated/prisma/enums.js';
import { approximateSize } from '../lib/approximate-size.js';
import { type Batching, batched } from './batched.js';
import type { Queryable } from './connection.js';
import { deliveryChannel } from './deliveries.js';
import { sessionChannel } from './sessions.js';
import { sessionName } from './sql/sessions-take.js';
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
  event: EventRecord;
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

/** Stored only if webhooks subscribe to it, with a delivery for each. */
export interface EventRecord {
  id: string;
  type: EventType;
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

interface Verdict {
  /** How many webhooks its event goes to. */
  deliveries: number;
  agent: boolean;
  key: boolean;
  session: boolean;
  worker: boolean;
}

/**
 * Batches records: those that arrive while statements are in flight share the next one, and thus one disk flush. Long ones
 * wait for others of their account only, and nobody waits for them.
 */
export function createInvocationRecorder(
  database: Queryable,
  batching?: Batching,
): InvocationRecorder {
  const fanOut = createFanOut();
  const write = async (invocations: readonly InvocationRecord[]) => {
    const held = {
      keys: invocations.some(({ idempotency }) => idempotency !== null),
      sessions: invocations.some(({ sessionOwner }) => sessionOwner !== null),
      work: invocations.some(({ worker }) => worker !== null),
    };
    const verdicts = await database.run<Verdict>(recordStatement(held), [
      ...rowsOf(invocations),
      deliveryChannel,
      ...(held.sessions ? [sessionChannel] : []),
    ]);
    invocations.forEach(({ accountId }, n) => {
      fanOut.note(accountId, verdicts[n]?.deliveries ?? 0);
    });
    return verdicts.map(recordingOf);
  };
  const weigh = (invocation: InvocationRecord) =>
    weightOf(invocation) + fanOut.of(invocation.accountId) * deliveryWeight;
  const options = { weigh, ...batching };
  const record = batched<InvocationRecord, Recording>(write, options);
  const recordLong = perAccount(() =>
    batched<InvocationRecord, Recording>(write, { ...options, inFlight: 1, rests: true }),
  );
  return {
    record: (invocation) =>
      weigh(invocation) > longText
        ? recordLong(invocation.accountId)(invocation)
        : record(invocation),
  };
}

/** Remembers to how many webhooks the events of an account go, as far as that is a burden: to store one is a row for each. */
function createFanOut() {
  const known = new Map<string, number>();
  return {
    of: (accountId: string) => known.get(accountId) ?? 0,
    note: (accountId: string, deliveries: number) => {
      if (deliveries < manyDeliveries) known.delete(accountId);
      else known.set(accountId, deliveries);
    },
  };
}

/** One of them for each account that needed one lately. */
function perAccount<Value>(create: () => Value): (accountId: string) => Value {
  const values = new Map<string, Value>();
  return (accountId) => {
    const value = values.get(accountId) ?? create();
    values.delete(accountId);
    values.set(accountId, value);
    const oldest = values.keys().next();
    if (values.size > maxLongAccounts && oldest.done !== true) values.delete(oldest.value);
    return value;
  };
}

function recordingOf({ agent, key, session, worker }: Verdict): Recording {
  if (!agent) return 'agent_gone';
  if (!worker) return 'worker_lost';
  if (!key) return 'key_lost';
  return session ? 'recorded' : 'session_lost';
}

/** Approximate length of the text: a few long answers weigh as much as many short ones. */
function weightOf({ memory, event, context }: InvocationRecord): number {
  const ownLength = event.body.length + approximateSize(context);
  return memory.reduce((sum, { content }) => sum + content.length, ownLength);
}

/** About a hundred sentences. A long text takes the database as long as many short ones. */
const longText = 10_000;
/** A row in three indexes costs about as much as so many characters. */
const deliveryWeight = 500;
const manyDeliveries = 10;
const maxLongAccounts = 1_000;

/** The invocations, their log entries and their memory, each as JSON. */
function rowsOf(invocations: readonly InvocationRecord[]): string[] {
  const rows = invocations.map(
    ({ logs: _logs, memory: _memory, event, idempotency, ...row }, n) => ({
      n,
      ...row,
      sessionName: sessionNameOf(row),
      ...(row.remember ? {} : { userId: null, sessionId: null, context: null }),
      eventId: event.id,
      eventType: event.type,
      eventBody: event.body,
      traceContext: event.traceContext,
      ...(idempotency && {
        key: hex(idempotency.id),
        keyOwner: idempotency.owner,
        keyStatus: idempotency.response?.status,
        keyAnswer: idempotency.response && hex(idempotency.response.sealed),
      }),
    }),
  );
  const logs = invocations.flatMap((invocation, n) =>
    invocation.logs.map((log) => ({ n, ...log })),
  );
  const memory = invocations.flatMap((invocation, n) =>
    invocation.memory.map((entry) => ({ n, ...entry })),
  );
  return [JSON.stringify(rows), JSON.stringify(logs), JSON.stringify(memory)];
}

function sessionNameOf({ userId, sessionId }: Pick<InvocationRecord, 'userId' | 'sessionId'>) {
  return sessionId === null ? null : sessionName({ userId, sessionId });
}

function hex(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/**
 * Writes down how invocations ended, everything about each of them in one transaction: the invocation, its log, what is
 * remembered of it, its counts, its event with the deliveries, the release of its session, and what becomes of its
 * Idempotency-Key. It does so only if all that it held is still its own; otherwise it writes nothing.
 */
import type { EventType, LogLevel } from '../../generated/api.js';
import type { InvocationStatus, MemoryRole } from '../../generated/prisma/enums.js';
import { type Batching, batched } from './batched.js';
import type { Queryable } from './connection.js';
import { deliveryChannel } from './deliveries.js';
import { sessionChannel } from './sessions.js';
import { recordStatement } from './sql/invocations-record.js';

export interface InvocationRecord {
  id: string;
  agentId: string;
  accountId: string;
  deploymentId: string | null;
  status: Extract<InvocationStatus, 'succeeded' | 'failed'>;
  userId: string | null;
  sessionId: string | null;
  context: Readonly<Record<string, unknown>> | null;
  tokensUsed: number | null;
  durationMs: number;
  errorCode: string | null;
  createdBy: string | null;
  createdAt: Date;
  finishedAt: Date;
  logs: readonly LogRecord[];
  memory: readonly MemoryRecord[];
  event: EventRecord;
  /** The owner of the session's lease, which is given up; null where there is no session. */
  sessionOwner: string | null;
  /** The owner of an asynchronous invocation's own lease; null for a synchronous one. */
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

/** Stored, with a delivery for each, only if there are webhooks that want it. */
export interface EventRecord {
  id: string;
  type: EventType;
  /** The bytes that every attempt of every delivery sends. */
  body: string;
}

export interface KeySettlement {
  id: Uint8Array;
  /** Whoever must still hold the key; null where it is held by nobody, as after a 202. */
  owner: string | null;
  /** The answer for repeats. Null: the key is free again. */
  response: { status: number; sealed: Uint8Array } | null;
}

/** What was lost in the meantime, if nothing was written. */
export type Recording = 'recorded' | 'agent_gone' | 'key_lost' | 'session_lost' | 'worker_lost';

export interface InvocationRecorder {
  record: (invocation: InvocationRecord) => Promise<Recording>;
}

interface Verdict {
  agent: boolean;
  key: boolean;
  session: boolean;
  worker: boolean;
}

/** Records that meet while statements are under way share the next one: a commit waits for the disk once for all. */
export function createInvocationRecorder(
  database: Queryable,
  batching?: Batching,
): InvocationRecorder {
  const record = batched<InvocationRecord, Recording>(
    async (invocations) => {
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
      return verdicts.map(judge);
    },
    { weigh: weightOf, ...batching },
  );
  return { record };
}

function judge({ agent, key, session, worker }: Verdict): Recording {
  if (!agent) return 'agent_gone';
  if (!worker) return 'worker_lost';
  if (!key) return 'key_lost';
  return session ? 'recorded' : 'session_lost';
}

/** About as many characters as its text has: a few long answers are as much as many short ones. */
function weightOf({ memory, event }: InvocationRecord): number {
  return memory.reduce((sum, { content }) => sum + content.length, event.body.length);
}

/** The invocations, their log entries and their memory, each as JSON. */
function rowsOf(invocations: readonly InvocationRecord[]): string[] {
  const rows = invocations.map(
    ({ logs: _logs, memory: _memory, event, idempotency, ...row }, n) => ({
      n,
      ...row,
      eventId: event.id,
      eventType: event.type,
      eventBody: event.body,
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

function hex(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

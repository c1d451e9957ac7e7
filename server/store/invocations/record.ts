/**
 * Records finished invocations, each in one transaction: the invocation, its log, its memory, its usage counts, its event
 * with deliveries, the release of its session lease, and its idempotency record. Writes nothing for an invocation that
 * lost any of its leases.
 */
import type { EventType, LogLevel } from '../../../generated/api.js';
import type { InvocationStatus, MemoryRole } from '../../../generated/prisma/enums.js';
import { batched } from '../postgres/batched.js';
import type { Queryable } from '../postgres/connection.js';
import { deliveryChannel } from '../deliveries/deliveries.js';
import { sessionChannel } from '../sessions/sessions.js';
import { type InvocationRow, recordInvocations, type RecordVerdict } from './record.sql.js';
import { sessionName } from '../sessions/lease.sql.js';

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
  /** Stored only if webhooks subscribe to it, with a delivery for each. */
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

/** Invocations of an account that end while a statement of it runs share the next one, and thus one disk flush. */
export function createInvocationRecorder(database: Queryable): InvocationRecorder {
  const channels = { deliveries: deliveryChannel, sessions: sessionChannel };
  const record = batched<InvocationRecord, Recording>(
    async (invocations) => {
      const accountId = invocations[0]?.accountId ?? '';
      const rows = invocations.map(rowOf);
      return (await recordInvocations(database, accountId, rows, channels)).map(resultOf);
    },
    { keyOf: ({ accountId }) => accountId },
  );
  return { record };
}

function rowOf(invocation: InvocationRecord, n: number): InvocationRow {
  const { remember, event, idempotency, userId, sessionId } = invocation;
  return {
    n,
    id: invocation.id,
    agentId: invocation.agentId,
    deploymentId: invocation.deploymentId,
    model: invocation.model,
    status: invocation.status,
    userId: remember ? userId : null,
    sessionId: remember ? sessionId : null,
    context: remember ? invocation.context : null,
    remember,
    tokensUsed: invocation.tokensUsed,
    durationMs: invocation.durationMs,
    errorCode: invocation.errorCode,
    createdBy: invocation.createdBy,
    createdAt: invocation.createdAt,
    finishedAt: invocation.finishedAt,
    logs: invocation.logs,
    memory: invocation.memory,
    eventId: event.id,
    eventType: event.type,
    eventBody: event.body,
    traceContext: event.traceContext,
    sessionName: sessionId === null ? null : sessionName({ userId, sessionId }),
    sessionOwner: invocation.sessionOwner,
    worker: invocation.worker,
    key: idempotency ? hex(idempotency.id) : undefined,
    keyOwner: idempotency?.owner,
    keyStatus: idempotency?.response?.status,
    keyResponse: idempotency?.response ? hex(idempotency.response.sealed) : undefined,
  };
}

function hex(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

function resultOf({ agent, worker, session, key }: RecordVerdict): Recording {
  if (!agent) return 'agent_gone';
  if (!worker) return 'worker_lost';
  if (!session) return 'session_lost';
  return key ? 'recorded' : 'key_lost';
}

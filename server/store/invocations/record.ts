/**
 * Records finished invocations, each in one transaction: the invocation, its log, its memory, its usage counts, its event
 * with deliveries, the release of its session lease, and its idempotency record. Writes nothing for an invocation that has
 * lost one of its leases.
 */
import type { EventType, LogLevel } from '../../../generated/api.js';
import type { InvocationStatus, MemoryRole } from '../../../generated/prisma/enums.js';
import type { CountStored } from '../accounts/stored-bytes.js';
import { deliveryChannel } from '../deliveries/deliveries.js';
import { batched } from '../postgres/batched.js';
import type { Connection, Queryable } from '../postgres/connection.js';
import { byteaText } from '../postgres/fragments.sql.js';
import { notify } from '../postgres/notify.sql.js';
import { sessionName } from '../sessions/lease.sql.js';
import { sessionChannel, type StoredTurn } from '../sessions/sessions.js';
import { logCounts, sumUsage, type UsageChange } from '../usage/usage.js';
import {
  type ClaimedRow,
  finishClaimed,
  type KeyRow,
  releaseSessions,
  type SessionRow,
  settleKeys,
} from './release-leases.sql.js';
import {
  type RecordedBatch,
  type RecordedInvocation,
  type RecordedRows,
  recordInvocations,
} from './record.sql.js';

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
  /** False: the row does not keep the user, the session or the context. */
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
  /** Of an answer: what a later turn of the session gets besides the messages. */
  turn?: StoredTurn | undefined;
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
  /** The owner that must still hold the key. Null: the key is not held, as after a 202. */
  owner: string | null;
  /** The response to replay. Null: the key is released. */
  response: { status: number; sealed: Uint8Array } | null;
}

/** `recorded`, or the reason why nothing was written. */
export type Recording = 'recorded' | 'agent_gone' | 'key_lost' | 'session_lost' | 'worker_lost';

export interface InvocationRecorder {
  record: (invocation: InvocationRecord) => Promise<Recording>;
}

interface RecorderOptions {
  /** Called with the key of a session that another invocation waits for, before other instances are notified. */
  onSessionReleased?: (sessionKey: string) => void;
  countStored?: CountStored;
}

/** Few enough that a batch of the longest answers does not block the event loop for long while its statement is built. */
const maxBatch = 16;

/** Batches by account: invocations that end while a statement runs share the next one, and thus one disk flush. */
export function createInvocationRecorder(
  connection: Connection,
  { onSessionReleased = () => undefined, countStored = () => undefined }: RecorderOptions = {},
): InvocationRecorder {
  const record = batched<InvocationRecord, Recording>(
    async (invocations) => {
      try {
        const { sessions, recorded, bytes } = invocations.some(holdsLease)
          ? await connection.atomically((queryable) => releaseAndRecord(queryable, invocations))
          : { sessions: [], ...(await recordAll(connection, invocations)) };
        sessions.forEach(onSessionReleased);
        countStored(invocations[0]?.accountId ?? '', bytes + bytesOfResponses(invocations));
        // Not awaited, so that answers are not delayed. If it fails, workers and waiting invocations notice at their next poll.
        const announced = announce(connection, recorded, sessions).catch(() => undefined);
        if ('isTransaction' in connection) await announced;
        return recorded.map(({ hasAgent }) => (hasAgent ? 'recorded' : 'agent_gone'));
      } catch (error) {
        // A batch runs again one by one, which shows which invocation has lost its lease.
        if (error instanceof LeaseLost && invocations.length === 1) return [error.recording];
        throw error;
      }
    },
    { keyOf: ({ accountId }) => accountId, maxItems: maxBatch },
  );
  return { record };
}

const holdsLease = ({ worker, sessionOwner, idempotency }: InvocationRecord) =>
  worker !== null || sessionOwner !== null || idempotency !== null;

/** Rolls the transaction back. */
class LeaseLost extends Error {
  override name = 'LeaseLost';
  readonly recording: Recording;

  constructor(recording: Recording) {
    super('Another process holds the lease.');
    this.recording = recording;
  }
}

async function releaseAndRecord(queryable: Queryable, invocations: readonly InvocationRecord[]) {
  const sessions = await releaseLeases(queryable, invocations);
  return { sessions, ...(await recordAll(queryable, invocations)) };
}

/** The responses that are stored under keys. */
function bytesOfResponses(invocations: readonly InvocationRecord[]): number {
  return invocations.reduce(
    (sum, { idempotency }) => sum + (idempotency?.response?.sealed.length ?? 0),
    0,
  );
}

/** Returns the sessions that other invocations wait for. */
async function releaseLeases(
  queryable: Queryable,
  invocations: readonly InvocationRecord[],
): Promise<string[]> {
  const accountId = invocations[0]?.accountId ?? '';
  const claimed = invocations.flatMap(claimedRowOf);
  if (claimed.length > 0) {
    const finished = await finishClaimed(queryable, accountId, claimed);
    if (finished < claimed.length) throw new LeaseLost('worker_lost');
  }
  const sessions = invocations.flatMap(sessionRowOf);
  const released = sessions.length > 0 ? await releaseSessions(queryable, accountId, sessions) : [];
  if (released.length < sessions.length) throw new LeaseLost('session_lost');
  const keys = invocations.flatMap(keyRowOf);
  if (keys.length > 0) {
    const settled = await settleKeys(queryable, accountId, keys);
    if (settled < keys.filter(({ owner }) => owner !== null).length)
      throw new LeaseLost('key_lost');
  }
  return released.flatMap(({ awaited }) => awaited ?? []);
}

function recordAll(
  queryable: Queryable,
  invocations: readonly InvocationRecord[],
): Promise<RecordedBatch> {
  return recordInvocations(queryable, invocations[0]?.accountId ?? '', rowsOf(invocations));
}

async function announce(
  queryable: Queryable,
  recorded: readonly RecordedInvocation[],
  sessions: readonly string[],
): Promise<void> {
  await notify(queryable, sessionChannel, sessions);
  if (recorded.some(({ hasDeliveries }) => hasDeliveries)) await notify(queryable, deliveryChannel);
}

function claimedRowOf(invocation: InvocationRecord): ClaimedRow[] {
  const { worker } = invocation;
  if (worker === null) return [];
  return [
    {
      worker,
      id: invocation.id,
      agentId: invocation.agentId,
      deploymentId: invocation.deploymentId,
      model: invocation.model,
      status: invocation.status,
      remember: invocation.remember,
      tokensUsed: invocation.tokensUsed,
      durationMs: invocation.durationMs,
      errorCode: invocation.errorCode,
      finishedAt: invocation.finishedAt,
    },
  ];
}

function sessionRowOf({
  agentId,
  userId,
  sessionId,
  sessionOwner,
}: InvocationRecord): SessionRow[] {
  if (sessionId === null || sessionOwner === null) return [];
  return [{ agentId, name: sessionName({ userId, sessionId }), owner: sessionOwner }];
}

export function keyRowOf({ idempotency }: Pick<InvocationRecord, 'idempotency'>): KeyRow[] {
  if (idempotency === null) return [];
  const { id, owner, response } = idempotency;
  return [
    {
      id: byteaText(id),
      owner,
      status: response?.status ?? null,
      response: response && byteaText(response.sealed),
    },
  ];
}

/** Asynchronous invocations already have a row. */
function rowsOf(invocations: readonly InvocationRecord[]): RecordedRows {
  return {
    invocations: invocations.filter(({ worker }) => worker === null).map(invocationRowOf),
    logs: invocations.flatMap(logRowsOf),
    memory: invocations.flatMap(({ id: requestId, agentId, userId, sessionId, memory }) =>
      memory.map(({ id, role, content, turn }) => ({
        id,
        agentId,
        requestId,
        sessionId,
        userId,
        role,
        content,
        turn,
      })),
    ),
    usage: usageOf(invocations),
    events: invocations.map(({ id: requestId, agentId, finishedAt, event }) => ({
      id: event.id,
      agentId,
      requestId,
      type: event.type,
      body: event.body,
      traceContext: event.traceContext,
      createdAt: finishedAt,
    })),
  };
}

export function logRowsOf({
  id: requestId,
  agentId,
  logs,
}: Pick<InvocationRecord, 'id' | 'agentId' | 'logs'>): RecordedRows['logs'] {
  return logs.map(({ id, at, level, message, metadata }) => ({
    id,
    agentId,
    requestId,
    at,
    level,
    message,
    metadata,
  }));
}

function invocationRowOf(invocation: InvocationRecord): RecordedRows['invocations'][number] {
  const { remember, idempotency } = invocation;
  return {
    id: invocation.id,
    agentId: invocation.agentId,
    deploymentId: invocation.deploymentId,
    model: invocation.model,
    status: invocation.status,
    userId: remember ? invocation.userId : null,
    sessionId: remember ? invocation.sessionId : null,
    context: remember ? invocation.context : null,
    tokensUsed: invocation.tokensUsed,
    durationMs: invocation.durationMs,
    errorCode: invocation.errorCode,
    createdBy: invocation.createdBy,
    createdAt: invocation.createdAt,
    finishedAt: invocation.finishedAt,
    key: idempotency ? byteaText(idempotency.id) : undefined,
  };
}

function usageOf(invocations: readonly InvocationRecord[]): RecordedRows['usage'] {
  const counts = invocations.flatMap((invocation): UsageChange[] => {
    const { id, accountId, agentId, logs } = invocation;
    return [
      {
        id,
        accountId,
        agentId,
        at: invocation.createdAt,
        invocations: 1,
        failures: invocation.status === 'failed' ? 1 : 0,
        durationMs: invocation.durationMs,
        tokens: invocation.tokensUsed ?? 0,
      },
      ...logs.map(({ at, level }) => ({ id, accountId, agentId, at, [logCounts[level]]: 1 })),
    ];
  });
  return usageRowsOf(counts);
}

export function usageRowsOf(changes: readonly UsageChange[]): RecordedRows['usage'] {
  return sumUsage(changes).map(({ id, agentId, bucketStart, ...sums }) => ({
    id,
    agentId,
    minute: bucketStart,
    invocations: sums.invocations,
    failures: sums.failures,
    duration_ms: sums.durationMs,
    tokens: sums.tokens,
    logs_debug: sums.logsDebug,
    logs_info: sums.logsInfo,
    logs_warn: sums.logsWarn,
    logs_error: sums.logsError,
  }));
}

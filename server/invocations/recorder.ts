/**
 * Records finished invocations, each in one transaction: the invocation, its log, its memory, its usage counts, its event
 * with deliveries, the release of its session lease, and its idempotency record. Writes nothing for an invocation that has
 * lost one of its leases.
 */
import type { CountStored } from '../accounts/stored-bytes.js';
import { deliveryChannel } from '../webhooks/deliveries/queue.sql.js';
import { type SettledKey, sealSettlement } from '../idempotency/sealed-response.js';
import type { Secrets } from '../installation/key-ring.js';
import { batched } from '../postgres/batched.js';
import type { Connection, Queryable } from '../postgres/connection.js';
import { notify } from '../postgres/notify.sql.js';
import { releaseSessions, sessionName, type SessionRow } from './sessions/lease.sql.js';
import { sessionChannel } from './sessions/sessions.js';
import { logCounts, sumUsage, type UsageChange } from '../metrics/usage.js';
import { settleKeys } from '../idempotency/records.sql.js';
import { type ClaimedRow, finishClaimed } from './queue.sql.js';
import {
  type RecordedBatch,
  type RecordedRows,
  recordInvocations,
  type RecordingResult,
} from './record.sql.js';
import type { InvocationKey } from './invocation.js';
import type { InvocationRecord } from './record.js';
import { pauseRuns } from './paused.sql.js';
import { removeSteps } from './steps.sql.js';

/** `recorded`, or the reason why nothing was written. */
export type Recording = 'recorded' | 'agent_gone' | 'key_lost' | 'session_lost' | 'worker_lost';

export interface InvocationRecorder {
  record: (invocation: InvocationRecord) => Promise<Recording>;
}

interface RecorderParts {
  connection: Connection;
  /** Seal the responses that are stored under keys. */
  secrets: Secrets;
  /** Called with the key of a session that another invocation waits for, before other instances are notified. */
  onSessionReleased?: (sessionKey: string) => void;
  countStored?: CountStored;
}

/** A record whose response is sealed. */
interface SealedRecord extends InvocationRecord {
  settledKey: SettledKey | undefined;
}

/** Few enough that a batch of the longest answers does not block the event loop for long while its statement is built. */
const maxBatch = 16;

/** Batches by account: invocations that end while a statement runs share the next one, and thus one disk flush. */
export function createInvocationRecorder({
  connection,
  secrets,
  onSessionReleased = () => undefined,
  countStored = () => undefined,
}: RecorderParts): InvocationRecorder {
  const record = batched<SealedRecord, Recording>(
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
  // Sealed one by one, because sealing the longest answers of a batch at once would block the event loop.
  return {
    record: (invocation) => {
      const { idempotency } = invocation;
      const settledKey = idempotency ? sealSettlement(secrets, idempotency) : undefined;
      return record({ settledKey, ...invocation });
    },
  };
}

const holdsLease = ({ worker, sessionOwner, idempotency, hasSteps }: InvocationRecord) =>
  worker !== null || sessionOwner !== null || idempotency !== null || hasSteps;

/** Rolls the transaction back. */
class LeaseLost extends Error {
  override name = 'LeaseLost';
  readonly recording: Recording;

  constructor(recording: Recording) {
    super('Another process holds the lease.');
    this.recording = recording;
  }
}

async function releaseAndRecord(queryable: Queryable, invocations: readonly SealedRecord[]) {
  const sessions = await releaseLeases(queryable, invocations);
  const accountId = invocations[0]?.accountId ?? '';
  const withSteps = invocations.filter(({ hasSteps }) => hasSteps);
  const waiting = withSteps.flatMap(({ waitsUntil, ...run }) =>
    waitsUntil === null ? [] : [{ expiresAt: waitsUntil, ...run }],
  );
  const ended = withSteps.filter(({ waitsUntil }) => waitsUntil === null).map(({ id }) => id);
  await pauseRuns(queryable, accountId, waiting);
  await removeSteps(queryable, accountId, ended);
  return { sessions, ...(await recordAll(queryable, invocations)) };
}

/** The responses that are stored under keys. */
function bytesOfResponses(invocations: readonly SealedRecord[]): number {
  return invocations.reduce(
    (sum, { settledKey }) => sum + (settledKey?.sealedResponse?.length ?? 0),
    0,
  );
}

/**
 * In this order, in which all code locks these rows: the claims of workers, the leases of sessions, the Idempotency-Keys. Returns the
 * sessions that other invocations wait for.
 */
async function releaseLeases(
  queryable: Queryable,
  invocations: readonly SealedRecord[],
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
  const keys = invocations.flatMap(({ settledKey }) => settledKey ?? []);
  if (keys.length > 0) {
    const settled = await settleKeys(queryable, accountId, keys);
    const held = keys.filter(({ owner }) => owner !== null);
    if (settled < held.length) throw new LeaseLost('key_lost');
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
  recorded: readonly RecordingResult[],
  sessions: readonly string[],
): Promise<void> {
  await notify(queryable, sessionChannel, sessions);
  if (recorded.some(({ hasDeliveries }) => hasDeliveries)) await notify(queryable, deliveryChannel);
}

function claimedRowOf(invocation: InvocationRecord): ClaimedRow[] {
  return invocation.worker === null ? [] : [invocation];
}

function sessionRowOf({
  agentId,
  userId,
  sessionId,
  environment,
  sessionOwner,
}: InvocationRecord): SessionRow[] {
  if (sessionId === null || sessionOwner === null) return [];
  const name = sessionName({ userId, sessionId, environment });
  return [{ agentId, name, owner: sessionOwner }];
}

function rowsOf(invocations: readonly InvocationRecord[]): RecordedRows {
  return {
    // Asynchronous invocations already have a row.
    invocations: invocations.filter(({ worker }) => worker === null).map(invocationRowOf),
    logs: invocations.flatMap(logRowsOf),
    memory: invocations.flatMap(
      ({ id: requestId, agentId, userId, sessionId, environment, memory }) =>
        memory.map((entry) => ({
          agentId,
          requestId,
          sessionId,
          userId,
          environment,
          ...entry,
        })),
    ),
    usage: usageOf(invocations),
    events: invocations.map(({ id: requestId, agentId, finishedAt: createdAt, event }) => ({
      agentId,
      requestId,
      createdAt,
      ...event,
    })),
  };
}

export function logRowsOf({
  id: requestId,
  agentId,
  environment,
  logs,
}: Pick<InvocationRecord, 'id' | 'agentId' | 'environment' | 'logs'>): RecordedRows['logs'] {
  return logs.map((entry) => ({ agentId, requestId, environment, ...entry }));
}

function invocationRowOf(invocation: InvocationRecord): RecordedRows['invocations'][number] {
  const row = { idempotencyId: invocation.idempotency?.id ?? null, ...invocation };
  return invocation.remember ? row : { ...row, userId: null, sessionId: null, context: null };
}

function usageOf(invocations: readonly InvocationRecord[]): RecordedRows['usage'] {
  const changes = invocations.flatMap((invocation): UsageChange[] => {
    const { id, accountId, agentId, createdAt, status, durationMs, tokensUsed } = invocation;
    const ended = {
      at: createdAt,
      invocations: 1,
      failures: status === 'failed' ? 1 : 0,
      durationMs,
      tokens: tokensUsed ?? 0,
    };
    return [
      { id, accountId, agentId, ...ended },
      ...logCountsOf(invocation).map((change) => ({ ...change, id })),
    ];
  });
  return sumUsage(changes);
}

/** The counts of log entries, under the ids of the entries. */
export function logCountsOf({
  accountId,
  agentId,
  logs,
}: Pick<InvocationRecord, Exclude<keyof InvocationKey, 'id'> | 'logs'>): UsageChange[] {
  return logs.map(({ id, loggedAt, level }) => ({
    id,
    accountId,
    agentId,
    at: loggedAt,
    [logCounts[level]]: 1,
  }));
}

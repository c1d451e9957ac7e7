/** Records for each Idempotency-Key that its request is running, or the response, so that a retry has no second effect. */
import { hash, randomUUID } from 'node:crypto';
import type { IdempotencyRecord } from '../../../generated/prisma/client.js';
import { FairQueue } from '../../lib/async/fair-queue.js';
import { retryInBackground } from '../../lib/async/retry-in-background.js';
import type { Secrets } from '../installation/key-ring.js';
import { batched } from '../postgres/batched.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';
import { openResponse, sealResponse, type StoredResponse } from './sealed-response.js';
import { beginRecords, type ClaimTimes, type NewClaim } from './begin.sql.js';
import {
  concludeRecord,
  followRecord,
  releaseRecord,
  type Renewal,
  renewRecord,
} from './lease.sql.js';

export type { StoredResponse };

/** A key is scoped to the caller, method and path. */
export interface IdempotencyScope {
  accountId: string;
  callerId: string;
  method: string;
  path: string;
  key: string;
}

/** The right to run the request; another process can take it over once the lease expires. */
export interface Claim {
  accountId: string;
  id: Buffer<ArrayBuffer>;
  owner: string;
}

/** The state in which a retry finds the request that has the key. */
export type RecordOutcome =
  | { outcome: 'running'; claim: Claim; isStream: boolean }
  | { outcome: 'replay'; claim: Claim; response: StoredResponse }
  /** The request has ended, and its response was dropped. */
  | { outcome: 'dropped'; claim: Claim }
  | { outcome: 'mismatch'; claim: Claim };

export type BeginOutcome = { outcome: 'started'; claim: Claim } | RecordOutcome;

type RecordId = Pick<Claim, 'accountId' | 'id'>;

interface BeginOptions {
  /** The owner of the claim; must be unique. */
  owner?: string;
  /** Whether the response will be a resumable stream. */
  isStream?: boolean;
}

export interface FollowedRequest {
  isRunning: boolean;
  /** Undefined if it still runs, has none, or its response was dropped. */
  response?: StoredResponse;
}

export interface IdempotencyRecords {
  begin(
    scope: IdempotencyScope,
    request: string | Uint8Array,
    options?: BeginOptions,
  ): Promise<BeginOutcome>;
  /** Returns what a retry would find, without starting the request. */
  find(scope: IdempotencyScope, request: string | Uint8Array): Promise<RecordOutcome | undefined>;
  /** Encrypts a response as records store it, for callers that write it in their own statement. */
  seal(id: Uint8Array, response: StoredResponse): { status: number; sealed: Uint8Array };
  /** Stores the response in the transaction of the effect. Throws ClaimLost if that transaction must roll back. */
  complete(transaction: Transaction, claim: Claim, response: StoredResponse): Promise<void>;
  /** For requests that outlive the lease. */
  renew(claim: Claim): Promise<Renewal | 'lost'>;
  /** Tells the process that runs the request that a client follows its stream. */
  follow(claim: Claim): Promise<FollowedRequest>;
  /** Asks the process that runs the request to stop it. */
  requestStop(claim: Claim): Promise<void>;
  /**
   * After a failure, lets the next request with the key start over, unless this one has acted. Never rejects: if it fails, the lease
   * expires.
   */
  abandon(claim: Claim): Promise<void>;
}

/** Another process took the request over; the effect of this one must be rolled back. */
export class ClaimLost extends Error {
  override name = 'ClaimLost';
}

/** The maximum time for which a retry gets a 409 after the process that ran the request has died. */
export const idempotencyLeaseMs = 6_000;

/** How long a response is replayed, and a stream can be resumed. */
export const idempotencyKeepMs = 24 * 60 * 60 * 1000;

/** Reading and decrypting a long response takes milliseconds of the event loop, so an account that repeats requests gets them one by one. */
const concurrentReads = 2;

/** After this many attempts and their pauses, the lease of the key has expired. */
const maxReleases = 8;

export function createIdempotencyRecords(
  database: Database,
  secrets: Secrets,
  { leaseMs = idempotencyLeaseMs, keepMs = idempotencyKeepMs }: Partial<ClaimTimes> = {},
): IdempotencyRecords {
  const { idempotencyRecord } = database.prisma;
  const reads = new FairQueue(concurrentReads);
  const start = batched<NewClaim, boolean>(
    (claims) => beginRecords(database, claims, { leaseMs, keepMs }),
    { keyOf: ({ accountId }) => accountId },
  );
  const abandon = (claim: Claim) =>
    retryInBackground(() => releaseRecord(database, claim), { maxAttempts: maxReleases });
  const read = ({ accountId, id }: RecordId) =>
    reads.run(accountId, () =>
      idempotencyRecord.findUnique({ where: { accountId_id: { accountId, id } } }),
    );
  const find = async (
    { accountId, id }: RecordId,
    requestHash: Buffer,
  ): Promise<RecordOutcome | undefined> => {
    const found = await read({ accountId, id });
    if (!found) return undefined;
    const { owner, isStream } = found;
    const claim = { accountId, id, owner };
    if (!requestHash.equals(found.requestHash)) return { outcome: 'mismatch', claim };
    if (!(await hasEnded(found))) return { outcome: 'running', claim, isStream };
    const response = responseIn(id, found);
    return response ? { outcome: 'replay', claim, response } : { outcome: 'dropped', claim };
  };
  /** A request that has acted ends with its response when its process dies. */
  const hasEnded = async ({ state, responseStatus, ...claim }: IdempotencyRecord) =>
    state === 'completed' || (responseStatus !== null && (await concludeRecord(database, claim)));
  const responseIn = (
    id: Claim['id'],
    { responseStatus, sealedResponse }: IdempotencyRecord,
  ): StoredResponse | undefined =>
    responseStatus === null || sealedResponse === null
      ? undefined
      : openResponse(secrets, id, { responseStatus, sealedResponse });

  return {
    async begin(scope, request, { owner = randomUUID(), isStream = false } = {}) {
      const { accountId } = scope;
      const id = recordIdOf(scope);
      const requestHash = sha256(request);
      // A record may be abandoned or pruned between the two statements; then this request can start.
      for (;;) {
        const claim = { accountId, id, requestHash, owner, isStream };
        const isStarted = await start(claim).catch(async (error: unknown) => {
          // The record may have been created although the answer was lost.
          await abandon({ accountId, id, owner });
          throw error;
        });
        if (isStarted) return { outcome: 'started', claim: { accountId, id, owner } };
        const found = await find({ accountId, id }, requestHash);
        if (found) return found;
      }
    },

    find: (scope, request) =>
      find({ accountId: scope.accountId, id: recordIdOf(scope) }, sha256(request)),

    seal(id, response) {
      const { responseStatus, sealedResponse } = sealResponse(secrets, id, response);
      return { status: responseStatus, sealed: sealedResponse };
    },

    async complete({ prisma }, { accountId, id, owner }, response) {
      const { count } = await prisma.idempotencyRecord.updateMany({
        where: { accountId, id, owner, state: 'running' },
        data: { state: 'completed', ...sealResponse(secrets, id, response) },
      });
      if (count === 0) throw new ClaimLost('The request was taken over by another process.');
    },

    renew: (claim) => renewRecord(database, claim, leaseMs),

    async follow(claim) {
      if (await followRecord(database, claim)) return { isRunning: true };
      const found = await read(claim);
      if (found?.owner !== claim.owner) return { isRunning: false };
      if (!(await hasEnded(found))) return { isRunning: found.responseStatus !== null };
      const response = responseIn(claim.id, found);
      return { isRunning: false, ...(response && { response }) };
    },

    async requestStop({ accountId, id, owner }) {
      const where = { accountId, id, owner, state: 'running' } as const;
      await idempotencyRecord.updateMany({ where, data: { stopRequested: true } });
    },

    abandon,
  };
}

/** Deletes up to `batch` records that expired before the given time. Returns the number deleted. */
export async function pruneIdempotencyRecords(
  { prisma }: Connection,
  before: Date,
  batch: number,
): Promise<number> {
  const where = { expiresAt: { lt: before } };
  const { count } = await prisma.idempotencyRecord.deleteMany({ where, limit: batch });
  return count;
}

export function recordIdOf({ callerId, method, path, key }: IdempotencyScope): Claim['id'] {
  return sha256(JSON.stringify([callerId, method, path, key]));
}

const sha256 = (data: string | Uint8Array) => Buffer.from(hash('sha256', data, 'buffer'));

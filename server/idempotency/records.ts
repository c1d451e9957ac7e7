/** Records for each Idempotency-Key that its request is running, or the response, so that a retry has no second effect. */
import { hash, randomUUID } from 'node:crypto';
import type { IdempotencyRecord } from '../../generated/prisma/client.js';
import { FairQueue } from '../lib/async/fair-queue.js';
import { retryInBackground } from '../lib/async/retry-in-background.js';
import type { Secrets } from '../installation/key-ring.js';
import { currentTime } from '../lib/time/clock.js';
import { batched } from '../postgres/batched.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';
import {
  beginRecords,
  type BegunRecord,
  type ClaimTimes,
  concludeRecord,
  followRecord,
  type NewClaim,
  releaseRecord,
  type Renewal,
  renewRecord,
} from './records.sql.js';
import { openResponse, sealResponse, type StoredResponse } from './sealed-response.js';
import type { Claim } from '../accounts/operation-context.js';

/** A key is scoped to the caller, method and path. */
export interface IdempotencyScope {
  accountId: string;
  callerId: string;
  method: string;
  path: string;
  key: string;
}

/** The state in which a retry finds the request that has the key. */
export type RecordOutcome = { claim: Claim } &
  /** `requestId` is the invocation that it runs, if it has acted. */
  (
    | { outcome: 'running'; isStream: boolean; requestId: string | null }
    | { outcome: 'replay'; response: StoredResponse }
    /** The request has ended, and its response was dropped. */
    | { outcome: 'dropped' }
    | { outcome: 'mismatch' }
  );

export interface StartedRequest {
  outcome: 'started';
  claim: Claim;
  /** The invocation to go on with, which an earlier request with the key began; null if there is none. */
  requestId: string | null;
}

export type BeginOutcome = StartedRequest | RecordOutcome;

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

interface IdempotencyParts extends Partial<ClaimTimes> {
  database: Database;
  secrets: Secrets;
}

export class IdempotencyRecords {
  readonly #database: Database;
  readonly #secrets: Secrets;
  readonly #leaseMs: number;
  readonly #reads = new FairQueue(concurrentReads);
  readonly #start: (claim: NewClaim) => Promise<BegunRecord>;

  constructor({
    database,
    secrets,
    leaseMs = idempotencyLeaseMs,
    keepMs = idempotencyKeepMs,
  }: IdempotencyParts) {
    this.#database = database;
    this.#secrets = secrets;
    this.#leaseMs = leaseMs;
    this.#start = batched((claims) => beginRecords(database, claims, { leaseMs, keepMs }), {
      keyOf: ({ accountId }) => accountId,
    });
  }

  async begin(
    scope: IdempotencyScope,
    request: string | Uint8Array,
    { owner = randomUUID(), isStream = false }: BeginOptions = {},
  ): Promise<BeginOutcome> {
    const claim = { accountId: scope.accountId, id: recordIdOf(scope), owner };
    const requestHash = sha256(request);
    // A record may be abandoned or pruned between the two statements; then this request can start.
    for (;;) {
      const begun = await this.#start({ ...claim, requestHash, isStream }).catch(
        async (error: unknown) => {
          // The record may have been created although the answer was lost.
          await this.abandon(claim);
          throw error;
        },
      );
      if (begun.isStarted) return { outcome: 'started', claim, requestId: begun.requestId };
      const found = await this.#find(claim, requestHash);
      if (found) return found;
    }
  }

  /** Returns what a retry would find, without starting the request. */
  find(scope: IdempotencyScope, request: string | Uint8Array): Promise<RecordOutcome | undefined> {
    return this.#find({ accountId: scope.accountId, id: recordIdOf(scope) }, sha256(request));
  }

  /** Stores the response in the transaction of the effect. Throws ClaimLost if that transaction must roll back. */
  async complete({ prisma }: Transaction, claim: Claim, response: StoredResponse): Promise<void> {
    const { count } = await prisma.idempotencyRecord.updateMany({
      where: { ...ownColumns(claim), state: 'running' },
      data: { state: 'completed', ...sealResponse(this.#secrets, claim.id, response) },
    });
    if (count === 0) throw new ClaimLost('The request was taken over by another process.');
  }

  /** For requests that outlive the lease. */
  renew(claim: Claim): Promise<Renewal | 'lost'> {
    return renewRecord(this.#database, claim, this.#leaseMs);
  }

  /** Tells the process that runs the request that a client follows its stream. */
  async follow(claim: Claim): Promise<FollowedRequest> {
    if (await followRecord(this.#database, claim)) return { isRunning: true };
    const found = await this.#read(claim);
    if (found?.owner !== claim.owner) return { isRunning: false };
    if (found.state === 'running') return { isRunning: false };
    const response = openResponse(this.#secrets, claim.id, found);
    return { isRunning: false, ...(response && { response }) };
  }

  /** Asks the process that runs the request to stop it. */
  async requestStop(claim: Claim): Promise<void> {
    await this.#database.prisma.idempotencyRecord.updateMany({
      where: { ...ownColumns(claim), state: 'running' },
      data: { stopRequested: true },
    });
  }

  /**
   * After a failure, lets the next request with the key start over, or go on if this one has acted. Never rejects: if it fails, the lease
   * expires.
   */
  abandon(claim: Claim): Promise<void> {
    const release = () => releaseRecord(this.#database, claim);
    return retryInBackground(release, { maxAttempts: maxReleases });
  }

  async #find(
    { accountId, id }: RecordId,
    requestHash: Buffer,
  ): Promise<RecordOutcome | undefined> {
    const found = await this.#read({ accountId, id });
    if (!found) return undefined;
    const { owner, isStream } = found;
    const claim = { accountId, id, owner };
    if (!requestHash.equals(found.requestHash)) return { outcome: 'mismatch', claim };
    if (!(await this.#hasEnded(found))) {
      return { outcome: 'running', claim, isStream, requestId: found.requestId };
    }
    const response = openResponse(this.#secrets, id, found);
    return response ? { outcome: 'replay', claim, response } : { outcome: 'dropped', claim };
  }

  #read({ accountId, id }: RecordId): Promise<IdempotencyRecord | null> {
    const { idempotencyRecord } = this.#database.prisma;
    const where = { accountId_id: { accountId, id } };
    return this.#reads.run(accountId, () => idempotencyRecord.findUnique({ where }));
  }

  async #hasEnded(found: IdempotencyRecord): Promise<boolean> {
    if (found.state === 'completed') return true;
    const isLeft = found.responseStatus !== null && found.requestId === null;
    return isLeft && concludeRecord(this.#database, found);
  }
}

/** A claim may have other members, which are no conditions. */
const ownColumns = ({ accountId, id, owner }: Claim): Claim => ({ accountId, id, owner });

/** For what may run longer than a response is kept: otherwise a repeat in the meantime would run it again. */
export async function keepLonger(
  { prisma }: Transaction,
  claim: Claim,
  runMs: number,
): Promise<void> {
  const expiresAt = new Date(currentTime() + runMs + idempotencyKeepMs);
  await prisma.idempotencyRecord.updateMany({ where: ownColumns(claim), data: { expiresAt } });
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

/** Records per Idempotency-Key that a request is running, or its response, so that a retry has no second effect. */
import { createHash, randomUUID } from 'node:crypto';
import { persistently } from '../lib/persistently.js';
import { sealContexts } from '../lib/seal-contexts.js';
import type { Secrets } from '../lib/secrets.js';
import type { Connection, Transaction } from './connection.js';
import type { Database } from './database.js';
import { beginRecord } from './sql/idempotency-begin.js';
import { renewRecord } from './sql/idempotency-renew.js';

/** A key is scoped to the caller, method and path. */
export interface IdempotencyScope {
  callerId: string;
  method: string;
  path: string;
  key: string;
}

export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  /** Byte for byte as it was sent. */
  body: string;
}

/** The right to run the request; another process can take it over once the lease expires. */
export interface Claim {
  id: Buffer<ArrayBuffer>;
  owner: string;
}

export type BeginOutcome =
  | { outcome: 'started'; claim: Claim }
  | { outcome: 'running' }
  | { outcome: 'replay'; response: StoredResponse }
  | { outcome: 'mismatch' };

export interface IdempotencyRecords {
  begin(scope: IdempotencyScope, request: string | Uint8Array): Promise<BeginOutcome>;
  /** Encrypts a response as records store it, for callers that write it in their own statement. */
  seal(id: Uint8Array, response: StoredResponse): { status: number; sealed: Uint8Array };
  /** Stores the response in the transaction of the effect. Throws ClaimLost if that transaction must roll back. */
  complete(transaction: Transaction, claim: Claim, response: StoredResponse): Promise<void>;
  /** For requests that outlive the lease. Returns false if the claim is lost. */
  renew(claim: Claim): Promise<boolean>;
  /** After a failure without effect: the next request with the key starts over. Never rejects: at the latest, the lease expires. */
  abandon(claim: Claim): Promise<void>;
}

/** Another process took the request over; the effect of this one must be rolled back. */
export class ClaimLost extends Error {
  override name = 'ClaimLost';
}

export interface IdempotencyOptions {
  leaseMs?: number;
  keepMs?: number;
}

interface FoundRecord {
  requestHash: Uint8Array;
  responseStatus: number | null;
  sealedResponse: Uint8Array | null;
}

/** A retry gets a 409 for so long at most after the process that ran the request has died. */
export const idempotencyLeaseMs = 8_000;

/** Attempts to release a key, one a second; by then its lease has expired. */
const maxReleases = 8;

const DAY_MS = 24 * 60 * 60 * 1000;

export function createIdempotencyRecords(
  database: Database,
  secrets: Secrets,
  { leaseMs = idempotencyLeaseMs, keepMs = DAY_MS }: IdempotencyOptions = {},
): IdempotencyRecords {
  const abandon = ({ id, owner }: Claim) =>
    persistently(
      () =>
        database.prisma.idempotencyRecord.deleteMany({ where: { id, owner, state: 'running' } }),
      { maxAttempts: maxReleases },
    );

  return {
    async begin(scope, request) {
      const id = sha256(JSON.stringify([scope.callerId, scope.method, scope.path, scope.key]));
      const requestHash = sha256(request);
      const owner = randomUUID();
      // A record may be abandoned or pruned between the two statements; then this request can start.
      for (;;) {
        const isStarted = await beginRecord(database, {
          id,
          requestHash,
          owner,
          leaseMs,
          keepMs,
        }).catch(async (error: unknown) => {
          // It may have begun even if the answer was lost.
          await abandon({ id, owner });
          throw error;
        });
        if (isStarted) {
          return { outcome: 'started', claim: { id, owner } };
        }
        const found = await database.prisma.idempotencyRecord.findUnique({
          where: { id },
          select: { requestHash: true, responseStatus: true, sealedResponse: true },
        });
        if (found) return outcomeOf(found, requestHash, (sealed) => open(secrets, id, sealed));
      }
    },

    seal(id, response) {
      const { responseStatus, sealedResponse } = sealed(secrets, Buffer.from(id), response);
      return { status: responseStatus, sealed: sealedResponse };
    },

    async complete({ prisma }, { id, owner }, response) {
      const { count } = await prisma.idempotencyRecord.updateMany({
        where: { id, owner, state: 'running' },
        data: { state: 'completed', ...sealed(secrets, id, response) },
      });
      if (count === 0) throw new ClaimLost('The request was taken over by another process.');
    },

    renew: (claim) => renewRecord(database, claim, leaseMs),

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

function outcomeOf(
  { requestHash: storedHash, responseStatus, sealedResponse }: FoundRecord,
  requestHash: Buffer,
  openResponse: (sealed: Uint8Array) => Omit<StoredResponse, 'status'>,
): BeginOutcome {
  if (!requestHash.equals(storedHash)) return { outcome: 'mismatch' };
  if (responseStatus === null || sealedResponse === null) return { outcome: 'running' };
  return {
    outcome: 'replay',
    response: { status: responseStatus, ...openResponse(sealedResponse) },
  };
}

function sealed(secrets: Secrets, id: Buffer, { status, headers, body }: StoredResponse) {
  return {
    responseStatus: status,
    sealedResponse: secrets.seal(
      JSON.stringify({ headers, body }),
      sealContexts.idempotencyRecord(id),
    ),
  };
}

function open(
  secrets: Secrets,
  id: Buffer,
  sealedResponse: Uint8Array,
): Omit<StoredResponse, 'status'> {
  const content: unknown = JSON.parse(
    secrets.open(sealedResponse, sealContexts.idempotencyRecord(id)).toString(),
  );
  if (!isSealedContent(content)) throw new TypeError('A stored response has an unknown format.');
  return content;
}

function isSealedContent(value: unknown): value is Omit<StoredResponse, 'status'> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'body' in value &&
    typeof value.body === 'string' &&
    'headers' in value &&
    typeof value.headers === 'object' &&
    value.headers !== null &&
    Object.values(value.headers).every((header) => typeof header === 'string')
  );
}

const sha256 = (data: string | Uint8Array) =>
  Buffer.from(createHash('sha256').update(data).digest());

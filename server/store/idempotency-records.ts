/** Remembers, per Idempotency-Key, that a request runs or how it was answered, so that a repeat has no second effect. */
import { createHash, randomUUID } from 'node:crypto';
import type { Secrets } from '../lib/crypto.js';
import type { Database, Transaction } from './database.js';
import { ABANDON, BEGIN, FIND, PRUNE, RENEW } from './idempotency-sql.js';

/** A key means something only for the same caller, method and path. */
export interface IdempotencyScope {
  callerId: string;
  method: string;
  path: string;
  key: string;
}

export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  /** Exactly as it was sent. */
  body: string;
}

/** The right to run the request; another process gets it once the lease has ended. */
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
  /** The form in which a record keeps an answer, for whoever stores it in a statement of his own. */
  seal(id: Uint8Array, response: StoredResponse): { status: number; sealed: Uint8Array };
  /** Stores the answer in the transaction of the effect. Throws ClaimLost if the effect must not be kept. */
  complete(transaction: Transaction, claim: Claim, response: StoredResponse): Promise<void>;
  /** Replaces the answer of a completed request: the result of an asynchronous one, when it is there. */
  replace(transaction: Transaction, id: Uint8Array, response: StoredResponse): Promise<void>;
  /** For requests that outlive the lease. False: the claim is lost. */
  renew(claim: Claim): Promise<boolean>;
  /** After a failure that had no effect: the next request with the key starts anew. */
  abandon(claim: Claim): Promise<void>;
  /** Deletes up to so many records that are past their time. */
  prune(batch: number): Promise<number>;
}

/** Another process took the request over; this one's effect must be rolled back. */
export class ClaimLost extends Error {
  override name = 'ClaimLost';
}

export interface IdempotencyOptions {
  leaseMs?: number;
  keepMs?: number;
}

interface RecordRow {
  request_hash: Buffer;
  response_status: number | null;
  sealed_response: Buffer | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function createIdempotencyRecords(
  database: Database,
  secrets: Secrets,
  { leaseMs = 30_000, keepMs = DAY_MS }: IdempotencyOptions = {},
): IdempotencyRecords {
  return {
    async begin(scope, request) {
      const id = sha256(JSON.stringify([scope.callerId, scope.method, scope.path, scope.key]));
      const requestHash = sha256(request);
      const owner = randomUUID();
      // A record may vanish between the two statements, by being abandoned or pruned; then this request may start.
      for (;;) {
        const started = await database.run(BEGIN, [id, requestHash, owner, leaseMs, keepMs]);
        if (started.length > 0) return { outcome: 'started', claim: { id, owner } };
        const [found] = await database.run<RecordRow>(FIND, [id]);
        if (found !== undefined)
          return judge(found, requestHash, (sealed) => open(secrets, id, sealed));
      }
    },

    seal(id, response) {
      const { responseStatus, sealedResponse } = sealed(secrets, Buffer.from(id), response);
      return { status: responseStatus, sealed: sealedResponse };
    },

    async complete(transaction, { id, owner }, response) {
      const { count } = await transaction.idempotencyRecord.updateMany({
        where: { id, owner, state: 'running' },
        data: { state: 'completed', ...sealed(secrets, id, response) },
      });
      if (count === 0) throw new ClaimLost('The request was taken over by another process.');
    },

    async replace(transaction, id, response) {
      const key = Buffer.from(id);
      await transaction.idempotencyRecord.updateMany({
        where: { id: key, state: 'completed' },
        data: sealed(secrets, key, response),
      });
    },

    renew: async ({ id, owner }) => (await database.run(RENEW, [id, owner, leaseMs])).length > 0,

    abandon: async ({ id, owner }) => {
      await database.run(ABANDON, [id, owner]);
    },

    prune: async (batch) => (await database.run(PRUNE, [batch])).length,
  };
}

function judge(
  record: RecordRow,
  requestHash: Buffer,
  openResponse: (sealed: Buffer) => Omit<StoredResponse, 'status'>,
): BeginOutcome {
  if (!record.request_hash.equals(requestHash)) return { outcome: 'mismatch' };
  if (record.response_status === null || record.sealed_response === null) {
    return { outcome: 'running' };
  }
  const response = { status: record.response_status, ...openResponse(record.sealed_response) };
  return { outcome: 'replay', response };
}

function sealed(secrets: Secrets, id: Buffer, { status, headers, body }: StoredResponse) {
  return {
    responseStatus: status,
    sealedResponse: secrets.seal(JSON.stringify({ headers, body }), sealContext(id)),
  };
}

function open(
  secrets: Secrets,
  id: Buffer,
  sealedResponse: Buffer,
): Omit<StoredResponse, 'status'> {
  const content: unknown = JSON.parse(secrets.open(sealedResponse, sealContext(id)).toString());
  if (!isSealedContent(content)) throw new TypeError('A stored response has an unknown form.');
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

const sealContext = (id: Buffer) => `idempotency record ${id.toString('hex')}`;

const sha256 = (data: string | Uint8Array) =>
  Buffer.from(createHash('sha256').update(data).digest());

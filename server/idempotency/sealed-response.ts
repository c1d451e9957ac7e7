/** Encrypts the responses of idempotency records, since they may contain a secret that is shown only once. */
import type { IdempotencyRecord } from '../../generated/prisma/client.js';
import { sealContexts } from '../installation/seal-contexts.js';
import type { Secrets } from '../installation/key-ring.js';
import type { Transaction } from '../postgres/connection.js';
import type { Claim } from '../accounts/operation-context.js';

export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  /** The exact text that was sent. */
  body: string;
}

/** The response that an operation returned. */
interface SentResponse {
  status: number;
  headers?: Record<string, string | number>;
  body?: unknown;
}

export function toStoredResponse({ status, headers = {}, body }: SentResponse): StoredResponse {
  const values = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { status, headers: Object.fromEntries(values), body: JSON.stringify(body) };
}

type StoredColumns = Pick<IdempotencyRecord, 'responseStatus' | 'sealedResponse'>;

/** How a key ends. */
export interface SettledKey extends Pick<Claim, 'id'>, StoredColumns {
  /** Null: the key is not held, as after a 202. */
  owner: string | null;
}

/** How a key ends, with the response as it is sent. */
export interface KeySettlement extends Pick<SettledKey, 'id' | 'owner'> {
  /** The response to replay. Null: the key is released. */
  response: StoredResponse | null;
}

export function sealSettlement(
  secrets: Secrets,
  { id, owner, response }: KeySettlement,
): SettledKey {
  const columns = response
    ? sealResponse(secrets, id, response)
    : { responseStatus: null, sealedResponse: null };
  return { id, owner, ...columns };
}

export function sealResponse(
  secrets: Secrets,
  id: Uint8Array,
  { status, headers, body }: StoredResponse,
): StoredColumns {
  return {
    responseStatus: status,
    sealedResponse: secrets.seal(
      JSON.stringify({ headers, body }),
      sealContexts.idempotencyRecord(id),
    ),
  };
}

/** Undefined if there is none, or if it was dropped. */
export function openResponse(
  secrets: Secrets,
  id: Uint8Array,
  { responseStatus, sealedResponse }: StoredColumns,
): StoredResponse | undefined {
  if (responseStatus === null || sealedResponse === null) return undefined;
  const text = secrets.open(sealedResponse, sealContexts.idempotencyRecord(id)).toString();
  const content: unknown = JSON.parse(text);
  if (!isSealedContent(content)) throw new TypeError('A stored response has an unknown format.');
  return { status: responseStatus, ...content };
}

/**
 * Drops the stored responses of requests. Their records stay, so that a retry does not run again. Returns the number dropped. Locks
 * records in the order of their ids, as all code does, to avoid deadlocks.
 */
export async function dropResponses(
  { prisma }: Transaction,
  accountId: string,
  requests: readonly Omit<Claim, 'accountId'>[],
): Promise<number> {
  let dropped = 0;
  for (const { id, owner } of requests.toSorted((a, b) => Buffer.compare(a.id, b.id))) {
    const { count } = await prisma.idempotencyRecord.updateMany({
      // A released key may belong to another request by now, and a repeat may have gone on with this one.
      where: {
        accountId,
        id,
        OR: [{ owner }, { requestId: owner }],
        state: 'completed',
        sealedResponse: { not: null },
      },
      data: { sealedResponse: null },
    });
    dropped += count;
  }
  return dropped;
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

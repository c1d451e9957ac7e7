/** Encrypts the responses of idempotency records, since they may contain a secret that is shown only once. */
import { sealContexts } from '../installation/seal-contexts.js';
import type { Secrets } from '../installation/key-ring.js';
import type { Transaction } from '../postgres/connection.js';

export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  /** The exact text that was sent. */
  body: string;
}

/** The columns of a record. */
interface SealedColumns {
  responseStatus: number;
  sealedResponse: Uint8Array<ArrayBuffer>;
}

export function sealResponse(
  secrets: Secrets,
  id: Uint8Array,
  { status, headers, body }: StoredResponse,
): SealedColumns {
  return {
    responseStatus: status,
    sealedResponse: secrets.seal(
      JSON.stringify({ headers, body }),
      sealContexts.idempotencyRecord(id),
    ),
  };
}

interface ReadColumns {
  responseStatus: number;
  sealedResponse: Uint8Array;
}

export function openResponse(
  secrets: Secrets,
  id: Uint8Array,
  { responseStatus, sealedResponse }: ReadColumns,
): StoredResponse {
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
  requests: readonly { id: Uint8Array<ArrayBuffer>; owner: string }[],
): Promise<number> {
  let dropped = 0;
  for (const { id, owner } of requests.toSorted((a, b) => Buffer.compare(a.id, b.id))) {
    const { count } = await prisma.idempotencyRecord.updateMany({
      // A released key may belong to another request by now.
      where: { accountId, id, owner, state: 'completed', sealedResponse: { not: null } },
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

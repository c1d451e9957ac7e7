/** Responses as idempotency records store them: encrypted, since one may contain a secret that is shown only once. */
import { sealContexts } from '../lib/seal-contexts.js';
import type { Secrets } from '../lib/secrets.js';

export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  /** Byte for byte as it was sent. */
  body: string;
}

/** The columns of a record. */
export interface SealedColumns {
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

export function openResponse(
  secrets: Secrets,
  id: Uint8Array,
  { responseStatus, sealedResponse }: { responseStatus: number; sealedResponse: Uint8Array },
): StoredResponse {
  const content: unknown = JSON.parse(
    secrets.open(sealedResponse, sealContexts.idempotencyRecord(id)).toString(),
  );
  if (!isSealedContent(content)) throw new TypeError('A stored response has an unknown format.');
  return { status: responseStatus, ...content };
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

/** Responses as idempotency records store them: encrypted, since one may contain a secret that is shown only once. */
import { setImmediate as nextIteration } from 'node:timers/promises';
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

interface ReadColumns {
  responseStatus: number;
  sealedResponse: Uint8Array;
}

export function openResponse(
  secrets: Secrets,
  id: Uint8Array,
  { responseStatus, sealedResponse }: ReadColumns,
): StoredResponse {
  return contentOf(responseStatus, textOf(secrets, id, sealedResponse));
}

/** Each step takes a while: others go on in between. */
export async function openLongResponse(
  secrets: Secrets,
  id: Uint8Array,
  { responseStatus, sealedResponse }: ReadColumns,
): Promise<StoredResponse> {
  await nextIteration();
  const text = textOf(secrets, id, sealedResponse);
  await nextIteration();
  return contentOf(responseStatus, text);
}

function textOf(secrets: Secrets, id: Uint8Array, sealed: Uint8Array): string {
  return secrets.open(sealed, sealContexts.idempotencyRecord(id)).toString();
}

function contentOf(responseStatus: number, text: string): StoredResponse {
  const content: unknown = JSON.parse(text);
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

/** Verifies webhook deliveries. It needs only Web Crypto, so it runs in every runtime. */
import { AgentHostingError } from './errors.js';
import type { WebhookEvent } from './generated/schema.js';

/** A `Headers` object, or the plain object of Node's HTTP servers. */
export type WebhookHeaders =
  { get: (name: string) => string | null } | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** How far the timestamp of the delivery may be from the current time; older deliveries may be replays. */
  toleranceSeconds?: number;
  /** The current time, in milliseconds since the epoch. */
  now?: number;
}

/** The delivery cannot be trusted. Respond with 401 and ignore it. */
export class WebhookVerificationError extends AgentHostingError {}

/**
 * Returns the event if the delivery was signed with the secret, or with one of several secrets, within the last five
 * minutes; throws a WebhookVerificationError otherwise. The body must be the bytes as they arrived: parsing and
 * serialising changes them. Throws a TypeError if the body is neither bytes nor a string.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const body = bytesOf(rawBody);
  const id = requireHeader(headers, 'webhook-id');
  const timestamp = requireHeader(headers, 'webhook-timestamp');
  const signatures = requireHeader(headers, 'webhook-signature');
  const age = Math.abs(now / 1000 - (/^\d{1,15}$/.test(timestamp) ? Number(timestamp) : NaN));
  if (!(age <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      'The timestamp of the delivery is too far from the current time.',
    );
  }
  const signed = concatenate(utf8.encode(`${id}.${timestamp}.`), body);
  const candidates = signatures.split(' ').flatMap((signature) => {
    const [version, value = ''] = signature.split(',');
    return version === 'v1' ? [fromBase64(value)] : [];
  });
  const serviceSignature = getHeader(headers, 'x-service-signature');
  const isSignedWith = async (one: string) =>
    (await isSigned(signingKey(one), candidates, signed)) &&
    (serviceSignature === undefined ||
      (await isSigned(utf8.encode(one), [fromHex(serviceSignature)], body)));
  const results = await Promise.all([secret].flat().map(isSignedWith));
  if (!results.includes(true))
    throw new WebhookVerificationError(
      'The signature does not match: pass the raw body, as it arrived.',
    );
  // Only the service knows the secret, and it follows the contract.
  return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
}

type Bytes = Uint8Array<ArrayBuffer>;

const utf8 = new TextEncoder();

/** Checked at run time too, since body parsers turn the body into an object. */
function bytesOf(rawBody: string | Uint8Array | ArrayBuffer | null | undefined): Bytes {
  if (typeof rawBody === 'string') return utf8.encode(rawBody);
  if (typeof rawBody?.byteLength === 'number') return new Uint8Array(rawBody);
  throw new TypeError('Pass the raw body, not a parsed one; in Express, use express.raw().');
}

/** Web Crypto compares in constant time. */
async function isSigned(secret: Bytes, candidates: Bytes[], data: Bytes): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['verify']);
  const results = candidates.map((signature) => crypto.subtle.verify('HMAC', key, signature, data));
  return (await Promise.all(results)).includes(true);
}

function signingKey(secret: string): Bytes {
  const key = secret.startsWith('whsec_') ? fromBase64(secret.slice(6)) : undefined;
  if (key !== undefined && key.length > 0) return key;
  throw new TypeError('Pass the complete secret that Create Webhook returned: whsec_…');
}

function getHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (isHeadersObject(headers)) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return Array.isArray(value) ? value[0] : value;
}

function isHeadersObject(
  headers: WebhookHeaders,
): headers is Extract<WebhookHeaders, { get: unknown }> {
  return typeof headers['get'] === 'function';
}

function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = getHeader(headers, name);
  if (value !== undefined && value !== '') return value;
  throw new WebhookVerificationError(`The header ${name} is missing.`);
}

function concatenate(first: Bytes, second: Bytes): Bytes {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/** Empty if the text is not base64, so that it matches no signature. */
function fromBase64(text: string): Bytes {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return new Uint8Array();
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function fromHex(text: string): Bytes {
  const pairs = /^([0-9a-f]{2})+$/i.test(text) ? (text.match(/../g) ?? []) : [];
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
}

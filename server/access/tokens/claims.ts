/** The checks that all tokens share: format, size, header and times. */
import { errors, type JWTPayload } from 'jose';
import { isStorable } from '../../lib/text/storable.js';

/** The verified subject of a token, with its role and scopes. */
export interface TokenSubject {
  subject: string;
  role: string | undefined;
  scopes: readonly string[];
}

/** How far the issuer's clock may be ahead of ours. */
export const clockSkewSeconds = 5;

/** The maximum lifetime of a token unless the agent's settings allow a longer one. */
export const defaultMaxLifetimeSeconds = 3_600;

const maxTokenLength = 8_192;
const maxSubjectLength = 256;

/** Three parts in base64url, of a reasonable total length. */
export function hasJwtFormat(bearer: string): boolean {
  return bearer.length <= maxTokenLength && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(bearer);
}

/** Whether the header contains or refers to a key. Such tokens are rejected, since only the agent's settings determine the key. */
export function hasEmbeddedKey(header: object): boolean {
  return ['jwk', 'jku', 'x5u', 'x5c'].some((name) => name in header);
}

/** Not expired, issued neither in the future nor after its own expiry, and not valid for longer than allowed. */
export function hasValidTimes(
  { exp, iat }: JWTPayload,
  nowSeconds: number,
  maxLifetimeSeconds: number,
): boolean {
  return (
    exp !== undefined &&
    iat !== undefined &&
    exp > nowSeconds &&
    iat <= nowSeconds + clockSkewSeconds &&
    iat < exp &&
    exp - iat <= maxLifetimeSeconds
  );
}

/** Ignores a trailing slash, which manifests and issuers use inconsistently. */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

interface Claims {
  subject: unknown;
  role: unknown;
  scopes: readonly string[];
}

/** Undefined if the token is invalid. A role that is not a string is none. */
export function readSubject({ subject, role, scopes }: Claims): TokenSubject | undefined {
  if (typeof subject !== 'string' || subject === '' || subject.length > maxSubjectLength) {
    return undefined;
  }
  const named = typeof role === 'string' ? role : undefined;
  return isStorable(subject) && isStorable(named ?? '')
    ? { subject, role: named, scopes }
    : undefined;
}

/** Resolves to undefined if the verification rejects the token. */
export async function undefinedIfInvalid<Result>(
  verify: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await verify();
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

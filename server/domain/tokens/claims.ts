/** The checks that all tokens share: format, size, header and times. */
import { errors, type JWTPayload } from 'jose';

/** The verified subject of a token, with its role and scopes. */
export interface TokenSubject {
  subject: string;
  role: string | undefined;
  scopes: readonly string[];
}

/** How far the clock of the issuer may be ahead of ours. */
export const clockSkewSeconds = 5;

/** How long a token may be valid unless the agent's settings allow more. */
export const defaultMaxLifetimeSeconds = 3_600;

const maxTokenLength = 8_192;
const maxSubjectLength = 256;

/** Three parts in base64url, not longer than any reasonable token. */
export function hasJwtFormat(bearer: string): boolean {
  return bearer.length <= maxTokenLength && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(bearer);
}

/** Whether the header contains or refers to a key. Only the agent's settings decide which key is used. */
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

/** A trailing slash is ignored: manifests and issuers do not agree on it. */
export function isSameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

export function readSubject(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' && claim.length <= maxSubjectLength
    ? claim
    : undefined;
}

export function readRole(claim: unknown): string | undefined {
  return typeof claim === 'string' ? claim : undefined;
}

/** Runs a verification; undefined if the token is invalid for any reason. */
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

/** What all tokens must have in common, whoever made them: a form, a size, and times that make sense. */
import { errors, type JWTPayload } from 'jose';

/** Who a token speaks for, and what it says of their rights. */
export interface TokenSubject {
  subject: string;
  role: string | undefined;
  scopes: readonly string[];
}

/** How far the clock of whoever made a token may be ahead of ours. */
export const clockSkewSeconds = 5;

const maxTokenLength = 8_192;
const maxSubjectLength = 256;

/** Three parts in base64url. Whatever is longer than any honest token is not even looked at. */
export function hasJwtFormat(bearer: string): boolean {
  return bearer.length <= maxTokenLength && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(bearer);
}

/** A header that brings or names a key of its own: only the agent's settings say which key counts. */
export function hasEmbeddedKey(header: object): boolean {
  return ['jwk', 'jku', 'x5u', 'x5c'].some((name) => name in header);
}

/** Not expired, and made neither in the future nor after its own end. */
export function hasValidTimes({ exp, iat }: JWTPayload, nowSeconds: number): boolean {
  return (
    exp !== undefined &&
    iat !== undefined &&
    exp > nowSeconds &&
    iat <= nowSeconds + clockSkewSeconds &&
    iat < exp
  );
}

/** Manifests and issuers do not agree on whether an address ends with a slash. */
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

/** Runs a verification; undefined if the token is at fault, for whatever reason. */
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

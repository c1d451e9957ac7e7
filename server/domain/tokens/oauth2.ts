/** Verifies access tokens of an OAuth 2.0 provider, with the keys that its issuer publishes. */
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose';
import {
  hasEmbeddedKey,
  hasValidTimes,
  isSameIssuer,
  readRole,
  readSubject,
  clockSkewSeconds,
  type TokenSubject,
  undefinedIfInvalid,
} from './claims.js';
import type { Provider } from './provider.js';

const algorithms = ['RS256', 'ES256'];

export interface Expectation {
  /** The issuer's address, as the manifest writes it. */
  provider: string;
  clientId: string;
}

/** Undefined for a token that is not good. Throws ProviderUnavailable if that cannot be found out. */
export async function verifyAccessToken(
  token: string,
  { provider: address, clientId }: Expectation,
  provider: Provider,
  now: Date,
): Promise<TokenSubject | undefined> {
  const unverifiedClaims = decodeUnverified(token);
  // A stranger's token must not make us ask the provider anything.
  if (!unverifiedClaims || !matchesExpectation(unverifiedClaims, { address, clientId, now }))
    return undefined;
  const payload = await undefinedIfInvalid(() => verify(token, clientId, provider, now));
  if (!payload || !hasValidTimes(payload, now.getTime() / 1000)) return undefined;
  const subject = readSubject(payload.sub);
  const scopes = scopesOf(payload);
  // Access tokens name their scopes, identity tokens never do; those are for the client, and not for us.
  if (subject === undefined || scopes === undefined) return undefined;
  return { subject, role: readRole(payload['role']), scopes };
}

interface UnverifiedToken {
  algorithm: unknown;
  ownKey: boolean;
  payload: JWTPayload;
}

function decodeUnverified(token: string): UnverifiedToken | undefined {
  try {
    const header = decodeProtectedHeader(token);
    return { algorithm: header.alg, ownKey: hasEmbeddedKey(header), payload: decodeJwt(token) };
  } catch {
    return undefined;
  }
}

function matchesExpectation(
  { algorithm, ownKey, payload }: UnverifiedToken,
  { address, clientId, now }: { address: string; clientId: string; now: Date },
): boolean {
  const { iss, aud = [] } = payload;
  return (
    algorithms.some((known) => known === algorithm) &&
    !ownKey &&
    typeof iss === 'string' &&
    isSameIssuer(iss, address) &&
    [aud].flat().includes(clientId) &&
    hasValidTimes(payload, now.getTime() / 1000)
  );
}

async function verify(
  token: string,
  clientId: string,
  provider: Provider,
  now: Date,
): Promise<JWTPayload> {
  const options = {
    algorithms,
    issuer: await provider.issuer(),
    audience: clientId,
    requiredClaims: ['exp', 'iat', 'sub'],
    clockTolerance: clockSkewSeconds,
    currentDate: now,
  };
  try {
    return (await jwtVerify(token, provider.key, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    // The token does not say which key signed it, so each of those that fit is tried.
    for await (const key of error) {
      const verified = await undefinedIfInvalid(() => jwtVerify(token, key, options));
      if (verified) return verified.payload;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** `scope` by RFC 9068; several providers write `scp`, as a list or as a text. */
function scopesOf(payload: JWTPayload): string[] | undefined {
  const claim = payload['scope'] ?? payload['scp'];
  if (typeof claim === 'string') return claim.split(' ');
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === 'string') : undefined;
}

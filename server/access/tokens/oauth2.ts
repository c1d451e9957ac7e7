/** Verifies access tokens of an OAuth 2.0 provider with the keys that it publishes. */
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose';
import {
  hasEmbeddedKey,
  hasValidTimes,
  isSameIssuer,
  readSubject,
  clockSkewSeconds,
  type TokenSubject,
  undefinedIfInvalid,
} from './claims.js';
import type { Provider } from './provider.js';

const algorithms = ['RS256', 'ES256'];

interface Expectation {
  /** The issuer's URL from the manifest. */
  provider: string;
  clientId: string;
  maxLifetimeSeconds: number;
}

/** Resolves to undefined if the token is invalid. Rejects with ProviderUnavailable if the keys cannot be fetched. */
export async function verifyAccessToken(
  token: string,
  { provider: address, clientId, maxLifetimeSeconds }: Expectation,
  provider: Provider,
  now: Date,
): Promise<TokenSubject | undefined> {
  const unverified = decodeUnverified(token);
  // Checked before the signature, so that most forged tokens cause no request to the provider.
  if (
    !unverified ||
    !matchesExpectation(unverified, { address, clientId, maxLifetimeSeconds, now })
  ) {
    return undefined;
  }
  const payload = await undefinedIfInvalid(() => verify(token, clientId, provider, now));
  if (!payload || !hasValidTimes(payload, now.getTime() / 1000, maxLifetimeSeconds)) {
    return undefined;
  }
  const scopes = scopesOf(payload);
  // A token without scopes is an ID token, which is meant for the client and not for an API.
  return scopes && readSubject({ subject: payload.sub, role: payload['role'], scopes });
}

interface UnverifiedToken {
  algorithm: unknown;
  embedsKey: boolean;
  payload: JWTPayload;
}

function decodeUnverified(token: string): UnverifiedToken | undefined {
  try {
    const header = decodeProtectedHeader(token);
    return { algorithm: header.alg, embedsKey: hasEmbeddedKey(header), payload: decodeJwt(token) };
  } catch {
    return undefined;
  }
}

function matchesExpectation(
  { algorithm, embedsKey, payload }: UnverifiedToken,
  {
    address,
    clientId,
    maxLifetimeSeconds,
    now,
  }: { address: string; clientId: string; maxLifetimeSeconds: number; now: Date },
): boolean {
  const { iss, aud = [] } = payload;
  return (
    algorithms.some((supported) => supported === algorithm) &&
    !embedsKey &&
    typeof iss === 'string' &&
    isSameIssuer(iss, address) &&
    [aud].flat().includes(clientId) &&
    hasValidTimes(payload, now.getTime() / 1000, maxLifetimeSeconds)
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
    return (await jwtVerify(token, provider.key, options).catch(rejectWeakKey)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    // The token does not name its key, so every matching key is tried.
    for await (const key of error) {
      const verified = await undefinedIfInvalid(() =>
        jwtVerify(token, key, options).catch(rejectWeakKey),
      );
      if (verified) return verified.payload;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** The library throws a TypeError if a key of the provider is too weak for its algorithm. */
function rejectWeakKey(error: unknown): never {
  throw error instanceof TypeError ? new errors.JWSSignatureVerificationFailed() : error;
}

/** RFC 9068 defines `scope`; some providers use `scp`, as a list or a string. */
function scopesOf(payload: JWTPayload): string[] | undefined {
  const claim = payload['scope'] ?? payload['scp'];
  if (typeof claim === 'string') return claim.split(' ');
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === 'string') : undefined;
}

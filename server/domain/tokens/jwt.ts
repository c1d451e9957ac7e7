/** Verifies JSON Web Tokens that are signed with an agent's own secret, with HS256 only. */
import type { KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import {
  hasEmbeddedKey,
  hasValidTimes,
  readRole,
  readSubject,
  clockSkewSeconds,
  type TokenSubject,
  undefinedIfInvalid,
} from './claims.js';

const maxLifetimeSeconds = 3_600;

/** Undefined for a token that is invalid or expired. */
export async function verifyJwt(
  token: string,
  key: KeyObject,
  now: Date,
): Promise<TokenSubject | undefined> {
  const verified = await undefinedIfInvalid(() =>
    jwtVerify(token, key, {
      algorithms: ['HS256'],
      requiredClaims: ['user_id', 'exp', 'iat'],
      clockTolerance: clockSkewSeconds,
      currentDate: now,
    }),
  );
  if (!verified || hasEmbeddedKey(verified.protectedHeader)) return undefined;
  const { exp = Infinity, iat = 0, user_id: userId, role } = verified.payload;
  if (!hasValidTimes(verified.payload, now.getTime() / 1000)) return undefined;
  if (exp - iat > maxLifetimeSeconds) return undefined;
  const subject = readSubject(userId);
  return subject === undefined ? undefined : { subject, role: readRole(role), scopes: [] };
}

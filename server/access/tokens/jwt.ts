/** Verifies JSON Web Tokens that are signed with an agent's own secret. Only HS256 is accepted. */
import type { KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import {
  clockSkewSeconds,
  defaultMaxLifetimeSeconds,
  hasEmbeddedKey,
  hasValidTimes,
  readSubject,
  type TokenSubject,
  undefinedIfInvalid,
} from './claims.js';

/** Resolves to undefined if the token is invalid or expired. */
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
  const { user_id: userId, role } = verified.payload;
  const seconds = now.getTime() / 1000;
  if (!hasValidTimes(verified.payload, seconds, defaultMaxLifetimeSeconds)) {
    return undefined;
  }
  return readSubject({ subject: userId, role, scopes: [] });
}

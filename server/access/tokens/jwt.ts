/** Verifies JSON Web Tokens that are signed with an agent's own secret. Only HS256 is accepted. */
import type { KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import * as claims from './claims.js';

/** Resolves to undefined if the token is invalid or expired. */
export async function verifyJwt(
  token: string,
  key: KeyObject,
  now: Date,
): Promise<claims.TokenSubject | undefined> {
  const verified = await claims.undefinedIfInvalid(() =>
    jwtVerify(token, key, {
      algorithms: ['HS256'],
      requiredClaims: ['user_id', 'exp', 'iat'],
      clockTolerance: claims.clockSkewSeconds,
      currentDate: now,
    }),
  );
  if (!verified || claims.hasEmbeddedKey(verified.protectedHeader)) return undefined;
  const { user_id: userId, role } = verified.payload;
  const seconds = now.getTime() / 1000;
  if (!claims.hasValidTimes(verified.payload, seconds, claims.defaultMaxLifetimeSeconds)) {
    return undefined;
  }
  return claims.readSubject({ subject: userId, role, scopes: [] });
}

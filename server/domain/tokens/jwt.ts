/** Verifies JSON Web Tokens that are signed with an agent's own secret: HS256, and nothing else. */
import type { KeyObject } from 'node:crypto';
import { jwtVerify } from 'jose';
import {
  bringsItsOwnKey,
  hasSoundTimes,
  readRole,
  readSubject,
  skewSeconds,
  type TokenSubject,
  unlessRefused,
} from './claims.js';

const longestLifeSeconds = 3_600;

/** Undefined for a token that is not good, now or at all. */
export async function verifyJwt(
  token: string,
  key: KeyObject,
  now: Date,
): Promise<TokenSubject | undefined> {
  const verified = await unlessRefused(() =>
    jwtVerify(token, key, {
      algorithms: ['HS256'],
      requiredClaims: ['user_id', 'exp', 'iat'],
      clockTolerance: skewSeconds,
      currentDate: now,
    }),
  );
  if (!verified || bringsItsOwnKey(verified.protectedHeader)) return undefined;
  const { exp = Infinity, iat = 0, user_id: userId, role } = verified.payload;
  if (!hasSoundTimes(verified.payload, now.getTime() / 1000)) return undefined;
  if (exp - iat > longestLifeSeconds) return undefined;
  const subject = readSubject(userId);
  return subject === undefined ? undefined : { subject, role: readRole(role), scopes: [] };
}

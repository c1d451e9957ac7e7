/** Creates JSON Web Tokens by hand, because no library creates the invalid ones that tests need. */
import { createHmac } from 'node:crypto';

export const now = () => Math.floor(Date.now() / 1000);

/** The claims of a valid token. */
export const usualClaims = () => ({ user_id: 'user_1', iat: now(), exp: now() + 3_600 });

export const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export function signToken(
  secret: string,
  payload: unknown,
  header: object = { alg: 'HS256', typ: 'JWT' },
): string {
  const body = `${encode(header)}.${encode(payload)}`;
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
}

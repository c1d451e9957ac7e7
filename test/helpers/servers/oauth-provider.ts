/** An OAuth 2.0 provider on loopback: discovery, rotatable keys, and access tokens signed with them. */
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, type JWK, SignJWT } from 'jose';
import { now } from '../crypto/tokens.js';

export interface SigningKey {
  kid: string;
  alg: 'RS256' | 'ES256';
  privateKey: KeyObject;
  jwk: JWK;
}

/** Override the default claims; undefined removes one. */
export type Claims = Record<string, unknown>;

export interface OAuthProvider {
  /** The issuer, below which the discovery document is served. */
  url: string;
  /** The number of requests per path. */
  requests: Map<string, number>;
  /** The keys that it publishes now. */
  published: JWK[];
  key: SigningKey;
  /** Signs with a new key, and publishes only that one. */
  rotate: (alg?: SigningKey['alg']) => Promise<SigningKey>;
  /** An access token for the default client, unless the claims or the key are overridden. */
  token: (claims?: Claims, header?: object, key?: SigningKey) => Promise<string>;
  /** The response to every request from now on; undefined restores normal behaviour. */
  answer: (listener: RequestListener | undefined) => void;
  close: () => Promise<void>;
}

export const clientId = 'agent-hosting';

export async function newKey(
  alg: SigningKey['alg'] = 'RS256',
  kid: string = randomUUID(),
  modulusLength = 2048,
): Promise<SigningKey> {
  const { privateKey, publicKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength })
      : generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export function signAccessToken(
  issuer: string,
  { privateKey, alg, kid }: SigningKey,
  claims: Claims = {},
  header: object = {},
): Promise<string> {
  const usual = { iss: issuer, aud: clientId, sub: 'user_1', iat: now(), exp: now() + 300 };
  return new SignJWT({ ...usual, scope: 'write:agents', ...claims })
    .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
    .sign(privateKey);
}

/** `path` is the path of the issuer; with `style` rfc8414 only that well-known address is served. */
export async function startProvider({
  path = '',
  style = 'openid',
  alg = 'RS256',
}: {
  path?: string;
  style?: 'openid' | 'rfc8414';
  alg?: SigningKey['alg'];
} = {}): Promise<OAuthProvider> {
  const requests = new Map<string, number>();
  const state = { key: await newKey(alg), published: [] as JWK[] };
  state.published = [state.key.jwk];
  let special: RequestListener | undefined;
  const discovery =
    style === 'openid'
      ? `${path}/.well-known/openid-configuration`
      : `/.well-known/oauth-authorization-server${path}`;

  const server = http.createServer((request, response) => {
    const target = request.url ?? '';
    requests.set(target, (requests.get(target) ?? 0) + 1);
    if (special) {
      special(request, response);
      return;
    }
    const documents: Record<string, unknown> = {
      [discovery]: { issuer: url, jwks_uri: `${origin}/keys` },
      '/keys': { keys: state.published },
    };
    const document = documents[target];
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}${path}`;

  return {
    url,
    requests,
    get published() {
      return state.published;
    },
    set published(keys) {
      state.published = keys;
    },
    get key() {
      return state.key;
    },
    rotate: async (alg) => {
      state.key = await newKey(alg);
      state.published = [state.key.jwk];
      return state.key;
    },
    token: (claims, header, key = state.key) => signAccessToken(url, key, claims, header),
    answer: (listener) => {
      special = listener;
    },
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

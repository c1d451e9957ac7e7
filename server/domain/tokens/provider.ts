/**
 * The issuer of an OAuth 2.0 provider: its discovery document and its keys, asked for when they are needed and kept for
 * a while. One question at a time, not too often, and none at all for a while after one that was not answered.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { isSameIssuer } from './claims.js';

export interface Provider {
  /** The issuer as it writes itself, which is how its tokens must write it. */
  issuer: () => Promise<string>;
  /** Finds the key for a token's header; a key that is not known yet may be a new one, so the issuer is asked again. */
  key: JWTVerifyGetKey;
}

/** The provider cannot be asked now; whoever wants to know may come again after that time. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
  readonly retryAfter: number;

  constructor(reason: string, retryAfter: number, cause?: unknown) {
    super(reason, { cause });
    this.retryAfter = retryAfter;
  }
}

/** Throws whatever goes wrong; the status is that of an answer which arrived. */
export type FetchJson = (url: URL) => Promise<{ status: number; body: unknown }>;

export interface TokenProviderOptions {
  fetchJson: FetchJson;
  now?: () => number;
  /** After this time keys are asked for anew, so that one which the issuer withdrew stops counting. */
  ttlMs?: number;
  /** Unknown keys, which anybody can make up, are no reason to ask more often than this. */
  cooldownMs?: number;
}

interface ProviderMetadata {
  issuer: string;
  find: JWTVerifyGetKey;
  at: number;
}

const discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });
const keySet = z.object({
  keys: z
    .array(z.looseObject({ kty: z.string() }))
    .min(1)
    .max(100),
});

export function createProvider(address: string, options: TokenProviderOptions): Provider {
  const { fetchJson, now = Date.now, ttlMs: keepMs = 300_000, cooldownMs = 2_000 } = options;
  let known: ProviderMetadata | undefined;
  let failedAt = -Infinity;
  let asking: Promise<ProviderMetadata> | undefined;

  const ask = async (): Promise<ProviderMetadata> => {
    const wait = failedAt + cooldownMs - now();
    const seconds = Math.max(1, Math.ceil((wait > 0 ? wait : cooldownMs) / 1000));
    if (wait > 0) throw new ProviderUnavailable('It did not answer a moment ago.', seconds);
    try {
      known = { ...(await fetchMetadata(address, fetchJson)), at: now() };
      return known;
    } catch (cause) {
      failedAt = now();
      throw new ProviderUnavailable(`${address} does not answer as a provider.`, seconds, cause);
    }
  };
  const askOnce = () =>
    (asking ??= ask().finally(() => {
      asking = undefined;
    }));
  const current = async () =>
    known !== undefined && now() - known.at < keepMs ? known : askOnce();

  return {
    issuer: async () => (await current()).issuer,
    key: async (header, token) => {
      const { find, at } = await current();
      try {
        return await find(header, token);
      } catch (error) {
        const mayAskAgain = now() - at >= cooldownMs;
        if (!(error instanceof errors.JWKSNoMatchingKey) || !mayAskAgain) throw error;
        return (await askOnce()).find(header, token);
      }
    },
  };
}

async function fetchMetadata(
  address: string,
  fetchJson: FetchJson,
): Promise<Omit<ProviderMetadata, 'at'>> {
  const { issuer, jwks_uri: keysAddress } = discovery.parse(await discover(address, fetchJson));
  if (!isSameIssuer(issuer, address)) {
    throw new Error(`${address} says that it is another issuer: ${issuer}`);
  }
  const keys = await fetchJson(new URL(keysAddress));
  if (keys.status !== 200) throw new Error(`${keysAddress} answered ${keys.status}`);
  const set: JSONWebKeySet = keySet.parse(keys.body);
  return { issuer, find: createLocalJWKSet(set) };
}

/** OpenID Connect puts the document below the issuer's path, RFC 8414 before it. */
async function discover(address: string, fetchJson: FetchJson): Promise<unknown> {
  const { origin, pathname } = new URL(address);
  const path = pathname.replace(/\/$/, '');
  const openid = new URL(`${origin}${path}/.well-known/openid-configuration`);
  const first = await fetchJson(openid);
  if (first.status === 200) return first.body;
  const second = await fetchJson(
    new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
  );
  if (second.status === 200) return second.body;
  throw new Error(`${openid.href} answered ${first.status}`);
}

/**
 * An OAuth 2.0 provider: its discovery document and its keys, fetched on demand and cached. Only one fetch runs at a
 * time, and each is followed by a cooldown, whether or not it succeeds.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { isSameIssuer } from './claims.js';

export interface Provider {
  /** The issuer identifier of the discovery document, which tokens must have in `iss`. */
  issuer: () => Promise<string>;
  /** Finds the key for a token's header. If there is none, it may be new, so the keys are fetched again. */
  key: JWTVerifyGetKey;
}

/** The provider's metadata cannot be fetched now. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
  readonly retryAfter: number;

  constructor(reason: string, retryAfter: number, cause?: unknown) {
    super(reason, { cause });
    this.retryAfter = retryAfter;
  }
}

/** Rejects on network errors, but not for error statuses. */
export type FetchJson = (url: URL) => Promise<{ status: number; body: unknown }>;

interface TokenProviderOptions {
  fetchJson: FetchJson;
  now?: () => number;
  /** How long keys are cached, and therefore how long a withdrawn key stays valid at most. */
  ttlMs?: number;
  /** The minimum time between two fetches, since unauthenticated clients can send tokens with unknown keys. */
  cooldownMs?: number;
}

interface ProviderMetadata {
  issuer: string;
  findKey: JWTVerifyGetKey;
  fetchedAt: number;
}

export function createProvider(address: string, options: TokenProviderOptions): Provider {
  const { fetchJson, now = Date.now, ttlMs = 300_000, cooldownMs = 2_000 } = options;
  let cached: ProviderMetadata | undefined;
  let failedAt = -Infinity;
  let refreshing: Promise<ProviderMetadata> | undefined;

  const fetchAndCache = async (): Promise<ProviderMetadata> => {
    const waitMs = failedAt + cooldownMs - now();
    const retryAfter = Math.max(1, Math.ceil((waitMs > 0 ? waitMs : cooldownMs) / 1000));
    if (waitMs > 0) throw new ProviderUnavailable('The last fetch failed.', retryAfter);
    try {
      cached = { ...(await fetchMetadata(address, fetchJson)), fetchedAt: now() };
      return cached;
    } catch (cause) {
      failedAt = now();
      throw new ProviderUnavailable(
        `${address} does not respond as an OAuth 2.0 provider.`,
        retryAfter,
        cause,
      );
    }
  };
  /** Concurrent calls share one fetch. */
  const refresh = () =>
    (refreshing ??= fetchAndCache().finally(() => {
      refreshing = undefined;
    }));
  const current = async () =>
    cached !== undefined && now() - cached.fetchedAt < ttlMs ? cached : refresh();

  return {
    issuer: async () => (await current()).issuer,
    key: async (header, token) => {
      const { findKey, fetchedAt } = await current();
      try {
        return await findKey(header, token);
      } catch (error) {
        const mayRefresh = now() - fetchedAt >= cooldownMs;
        if (!(error instanceof errors.JWKSNoMatchingKey) || !mayRefresh) throw error;
        return (await refresh()).findKey(header, token);
      }
    },
  };
}

/** The fields that are read from the documents of a provider. */
const discoveryDocument = z.object({ issuer: z.string(), jwks_uri: z.url() });

const keySet = z.object({
  keys: z
    .array(z.looseObject({ kty: z.string() }))
    .min(1)
    .max(100),
});

async function fetchMetadata(
  address: string,
  fetchJson: FetchJson,
): Promise<Omit<ProviderMetadata, 'fetchedAt'>> {
  const document = discoveryDocument.parse(await discover(address, fetchJson));
  const { issuer, jwks_uri: keysUrl } = document;
  if (!isSameIssuer(issuer, address)) {
    throw new Error(`${address} names another issuer: ${issuer}`);
  }
  const keys = await fetchJson(new URL(keysUrl));
  if (keys.status !== 200) throw new Error(`${keysUrl} answered ${keys.status}`);
  const set: JSONWebKeySet = keySet.parse(keys.body);
  return { issuer, findKey: createLocalJWKSet(set) };
}

/** The document is at a well-known path: after the issuer's path in OpenID Connect, before it in RFC 8414. */
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

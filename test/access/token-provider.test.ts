/** Expiry of a token provider's cached keys, with a clock that the test sets. */
import { describe, expect, test } from '@jest/globals';
import {
  createProvider,
  type FetchJson,
  ProviderUnavailable,
} from '../../server/access/tokens/provider.js';
import { newKey, type SigningKey } from '../helpers/servers/oauth-provider.js';

const address = 'https://provider.example/tenant';
const keepMs = 300_000;
const cooldownMs = 2_000;

interface ProviderState {
  now: number;
  isUp: boolean;
  keys: SigningKey[];
}

function providerFrom(state: ProviderState) {
  const fetchJson: FetchJson = async (url) => {
    await Promise.resolve();
    if (!state.isUp) throw new Error('connection refused');
    return url.pathname === '/keys'
      ? { status: 200, body: { keys: state.keys.map(({ jwk }) => jwk) } }
      : { status: 200, body: { issuer: address, jwks_uri: 'https://provider.example/keys' } };
  };
  return createProvider(address, { fetchJson, now: () => state.now, ttlMs: keepMs, cooldownMs });
}

const stateWith = (...keys: SigningKey[]): ProviderState => ({
  now: 1_000_000,
  isUp: true,
  keys,
});

const headerOf = ({ alg, kid }: SigningKey) => ({ alg, kid });
const nothing = { payload: '', signature: '' };

const one = await newKey('ES256');
const other = await newKey('ES256');

describe('a provider', () => {
  test('whose key is withdrawn is queried again when its keys have expired', async () => {
    const state = stateWith(one, other);
    const provider = providerFrom(state);
    await provider.key(headerOf(one), nothing);
    state.keys = [other];
    state.now += keepMs;
    await expect(provider.key(headerOf(one), nothing)).rejects.toThrow('no applicable key');
  });

  test('that is unreachable authenticates no token once its keys have expired', async () => {
    const state = stateWith(one);
    const provider = providerFrom(state);
    await provider.key(headerOf(one), nothing);
    state.isUp = false;
    state.now += keepMs - 1;
    await expect(provider.key(headerOf(one), nothing)).resolves.toBeDefined();
    state.now += 1;
    await expect(provider.key(headerOf(one), nothing)).rejects.toThrow(ProviderUnavailable);
  });
});

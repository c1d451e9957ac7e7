/** How often a provider is asked, by a clock that the test sets. */
import { describe, expect, test } from '@jest/globals';
import {
  createProvider,
  type FetchJson,
  ProviderUnavailable,
} from '../../server/domain/tokens/provider.js';
import { newKey, type SigningKey } from '../helpers/oauth-provider.js';

const address = 'https://provider.example/tenant';
const keepMs = 300_000;
const cooldownMs = 2_000;

interface World {
  now: number;
  isUp: boolean;
  keys: SigningKey[];
  asked: string[];
}

function providerIn(world: World) {
  const fetchJson: FetchJson = async (url) => {
    world.asked.push(url.pathname);
    await Promise.resolve();
    if (!world.isUp) throw new Error('nobody is there');
    return url.pathname === '/keys'
      ? { status: 200, body: { keys: world.keys.map(({ jwk }) => jwk) } }
      : { status: 200, body: { issuer: address, jwks_uri: 'https://provider.example/keys' } };
  };
  return createProvider(address, { fetchJson, now: () => world.now, ttlMs: keepMs, cooldownMs });
}

const worldWith = (...keys: SigningKey[]): World => ({
  now: 1_000_000,
  isUp: true,
  keys,
  asked: [],
});

const headerOf = ({ alg, kid }: SigningKey) => ({ alg, kid });
const nothing = { payload: '', signature: '' };

const one = await newKey('ES256');
const other = await newKey('ES256');

describe('a provider', () => {
  test('is asked once, and then not before its keys are old', async () => {
    const world = worldWith(one);
    const provider = providerIn(world);
    await Promise.all([
      provider.issuer(),
      provider.key(headerOf(one), nothing),
      provider.key(headerOf(one), nothing),
    ]);
    world.now += keepMs - 1;
    await provider.key(headerOf(one), nothing);
    expect(world.asked).toEqual(['/tenant/.well-known/openid-configuration', '/keys']);
    world.now += 1;
    await provider.key(headerOf(one), nothing);
    expect(world.asked).toHaveLength(4);
  });

  test('whose key is withdrawn is found out when its keys are old', async () => {
    const world = worldWith(one, other);
    const provider = providerIn(world);
    await provider.key(headerOf(one), nothing);
    world.keys = [other];
    world.now += keepMs;
    await expect(provider.key(headerOf(one), nothing)).rejects.toThrow('no applicable key');
  });

  test('is asked for a key that is new, but not twice within the cooldown', async () => {
    const world = worldWith(one);
    const provider = providerIn(world);
    await provider.issuer();
    world.keys = [one, other];
    await expect(provider.key(headerOf(other), nothing)).rejects.toThrow('no applicable key');
    expect(world.asked).toHaveLength(2);
    world.now += cooldownMs;
    await expect(provider.key(headerOf(other), nothing)).resolves.toBeDefined();
    expect(world.asked).toHaveLength(4);
  });

  test('that does not answer is left alone for a while, and then asked again', async () => {
    const world = { ...worldWith(one), isUp: false };
    const provider = providerIn(world);
    await expect(provider.issuer()).rejects.toThrow(ProviderUnavailable);
    await expect(provider.issuer()).rejects.toMatchObject({ retryAfter: 2 });
    expect(world.asked).toHaveLength(1);
    world.now += cooldownMs;
    world.isUp = true;
    expect(await provider.issuer()).toBe(address);
  });

  test('that went away lets nobody in once its keys are old', async () => {
    const world = worldWith(one);
    const provider = providerIn(world);
    await provider.key(headerOf(one), nothing);
    world.isUp = false;
    world.now += keepMs - 1;
    await expect(provider.key(headerOf(one), nothing)).resolves.toBeDefined();
    world.now += 1;
    await expect(provider.key(headerOf(one), nothing)).rejects.toThrow(ProviderUnavailable);
  });
});

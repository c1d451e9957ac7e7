/** SSRF: internal addresses are never connected to, whether as a literal, behind a name, or behind a name that changes. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { guardedRequest } from '../../../server/lib/net/guarded-request.js';
import type { HostAddress, Resolve } from '../../../server/lib/net/resolve-host.js';
import {
  checkTarget,
  isPublicAddress,
  TargetRefused,
} from '../../../server/lib/net/target-address.js';
import { useDeliveryTest } from '../../helpers/service/delivery.js';
import { addressesBehindNames, publicAddresses, vectors } from './ssrf-vectors.js';

/** Listens on every address of this machine, so that any connection is noticed. */
let listener: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  listener.listen(0, '::');
  await once(listener, 'listening');
  ({ port } = listener.address() as AddressInfo);
});

afterAll(async () => {
  listener.close();
  await once(listener, 'close');
});

const signal = () => AbortSignal.timeout(5_000);

const addresses = (...list: string[]): HostAddress[] =>
  list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** Resolves to the first list, then to the second, and so on; repeats the last one. */
function resolver(...answers: HostAddress[][]): Resolve & { asked: () => number } {
  let asked = 0;
  const resolve = () => {
    const found = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    return Promise.resolve(found);
  };
  return Object.assign(resolve, { asked: () => asked });
}

test('there are at least a hundred vectors', () => {
  expect(new Set(vectors).size).toBeGreaterThanOrEqual(100);
});

describe('Every vector is refused', () => {
  test('when a webhook is created', async () => {
    for (const vector of vectors) {
      const url = new URL(vector.replace('PORT', String(port)));
      await expect(checkTarget(url, { allowPrivate: false })).rejects.toThrow(TargetRefused);
    }
  });

  test('when a connection is made, and no connection is opened', async () => {
    const before = connections;
    for (const vector of vectors) {
      const url = new URL(vector.replace('PORT', String(port)));
      const request = guardedRequest(url, { allowPrivate: false, signal: signal(), maxBytes: 0 });
      await expect(request).rejects.toThrow(TargetRefused);
    }
    expect(connections).toBe(before);
  });
});

describe('A name', () => {
  test.each(addressesBehindNames)('that resolves to %s is rejected', async (address) => {
    for (const resolve of [
      resolver(addresses(address)),
      resolver(addresses('93.184.216.34', address)),
      resolver(addresses(address, '93.184.216.34', '2606:4700:4700::1111')),
    ]) {
      const url = new URL(`https://hooks.example.com:${port}/`);
      const policy = { allowPrivate: false, resolve };
      await expect(checkTarget(url, policy)).rejects.toThrow(TargetRefused);
      await expect(
        guardedRequest(url, { ...policy, signal: signal(), maxBytes: 0 }),
      ).rejects.toThrow(TargetRefused);
    }
  });

  test('that changes its address after the check is rejected when used', async () => {
    const before = connections;
    const url = new URL(`https://rebind.example.com:${port}/`);
    const resolve = resolver(addresses('93.184.216.34'), addresses('127.0.0.1'));
    await checkTarget(url, { allowPrivate: false, resolve });
    await expect(
      guardedRequest(url, { allowPrivate: false, resolve, signal: signal(), maxBytes: 0 }),
    ).rejects.toThrow(TargetRefused);
    expect(connections).toBe(before);
  });

  test('is resolved once, and the connection uses the checked address', async () => {
    const before = connections;
    const url = new URL(`http://rebind.example.com:${port}/`);
    const resolve = resolver(addresses('127.0.0.1'), addresses('192.168.255.255'));
    const request = guardedRequest(url, {
      allowPrivate: true,
      resolve,
      signal: signal(),
      maxBytes: 0,
    });
    await expect(request).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(resolve.asked()).toBe(1);
    expect(connections).toBe(before + 1);
  });

  test('that does not resolve yet can be registered, and fails when used', async () => {
    const url = new URL('https://not-yet.example.com/');
    const resolve = resolver([]);
    await checkTarget(url, { allowPrivate: false, resolve });
    await expect(
      guardedRequest(url, { allowPrivate: false, resolve, signal: signal(), maxBytes: 0 }),
    ).rejects.toThrow('has no address');
  });
});

test('public addresses are allowed', async () => {
  expect(publicAddresses.filter((address) => !isPublicAddress(address))).toEqual([]);
  for (const address of publicAddresses) {
    const host = address.includes(':') ? `[${address}]` : address;
    await checkTarget(new URL(`https://${host}:8443/`), { allowPrivate: false });
  }
});

test.each([
  ['', true],
  [':442', false],
  [':444', false],
  [':1023', false],
  [':1024', true],
  [':65535', true],
])('a target at port "%s" is allowed: %p', async (port, isAllowed) => {
  const check = checkTarget(new URL(`https://93.184.216.34${port}/`), { allowPrivate: false });
  await (isAllowed ? check : expect(check).rejects.toThrow(/must not use port/));
});

test('development allows http, loopback and private addresses, but no metadata service', async () => {
  const policy = { allowPrivate: true };
  for (const host of ['127.0.0.1', 'localhost', '10.1.2.3', '192.168.1.1', '[::1]', '[fd12::1]']) {
    await checkTarget(new URL(`http://${host}:81/`), policy);
  }
  for (const host of ['169.254.169.254', '[fd00:ec2::254]', '0.0.0.0', '224.0.0.1', '[fe80::1]']) {
    await expect(checkTarget(new URL(`http://${host}/`), policy)).rejects.toThrow(TargetRefused);
  }
});

describe('A delivery', () => {
  const fixture = useDeliveryTest();

  test('to an internal address that is already in the database opens no connection', async () => {
    const before = connections;
    const resolve = resolver(addresses('127.0.0.1'));
    await fixture.worker({ targets: { allowPrivate: false, resolve } });
    const literal = await fixture.webhook(`https://127.0.0.1:${port}/`);
    const name = await fixture.webhook(`https://rebind.example.com:${port}/`);
    const reason = 'private, loopback, link-local or otherwise special address';
    for (const { id } of [literal, name]) {
      const event = await fixture.send([id]);
      expect((await fixture.tried(event.id)).lastError).toBe(
        `The receiver was not contacted: its address must not lead to a ${reason}.`,
      );
    }
    expect(connections).toBe(before);
  });
});

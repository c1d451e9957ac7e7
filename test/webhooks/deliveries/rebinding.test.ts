/** DNS rebinding: an attacker's name server changes its answers, returns several addresses, or does not answer. */
import { afterEach, expect, test } from '@jest/globals';
import { guardedRequest } from '../../../server/lib/net/guarded-request.js';
import { resolveInDns } from '../../../server/lib/net/resolve-host.js';
import { checkTarget, TargetRefused } from '../../../server/lib/net/target-address.js';
import { eventually } from '../../helpers/eventually.js';
import { type Addresses, type NameServer, startNameServer } from './name-server.js';
import { type Receiver, startReceiver } from '../../helpers/servers/receiver.js';

const running: (NameServer | Receiver)[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function attack(addresses: Addresses) {
  const [names, victim] = [await startNameServer(addresses), await startReceiver()];
  running.push(names, victim);
  const { port } = new URL(victim.url);
  const resolve = resolveInDns([names.address]);
  return { names, victim, port, resolve };
}

const signal = () => AbortSignal.timeout(5_000);
const outside = '93.184.216.34';

test('a name that is public when checked and loopback when used is rejected', async () => {
  const { names, victim, port, resolve } = await attack((_name, family, question) =>
    family === 6 ? [] : [question === 1 ? outside : '127.0.0.1'],
  );
  const url = new URL(`https://rebind.attacker.example:${port}/`);
  await checkTarget(url, { allowPrivate: false, resolve });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await expect(
      guardedRequest(url, { allowPrivate: false, resolve, signal: signal(), maxBytes: 0 }),
    ).rejects.toThrow(TargetRefused);
  }
  expect(names.questions()).toBe(8);
  expect(victim.connections()).toBe(0);
});

test('a name is not resolved again between the check and the connection', async () => {
  const { names, victim, port, resolve } = await attack((_name, family, question) =>
    family === 6 ? [] : [question === 1 ? '127.0.0.1' : '127.0.0.2'],
  );
  const url = new URL(`http://rebind.attacker.example:${port}/`);
  const answer = await guardedRequest(url, {
    allowPrivate: true,
    resolve,
    signal: signal(),
    maxBytes: 0,
  });
  expect(answer.status).toBe(204);
  expect(names.questions()).toBe(2);
  expect(victim.connections()).toBe(1);
});

test.each([
  ['IPv4', (family: number) => (family === 4 ? [outside, '10.0.0.1'] : [])],
  ['IPv6', (family: number) => (family === 4 ? [outside] : ['0:0:0:0:0:0:0:1'])],
  ['IPv4 inside IPv6', (family: number) => (family === 4 ? [] : ['0:0:0:0:0:ffff:7f00:1'])],
])(
  'a name that is public and also resolves to a private address by %s is rejected',
  async (_kind, addresses) => {
    const { victim, port, resolve } = await attack((_name, family) => addresses(family));
    const url = new URL(`https://both.attacker.example:${port}/`);
    await expect(checkTarget(url, { allowPrivate: false, resolve })).rejects.toThrow(TargetRefused);
    await expect(
      guardedRequest(url, { allowPrivate: false, resolve, signal: signal(), maxBytes: 0 }),
    ).rejects.toThrow(TargetRefused);
    expect(victim.connections()).toBe(0);
  },
);

test('a name server that never answers cannot hold a request beyond its time limit', async () => {
  const { names, port, resolve } = await attack(() => undefined);
  const url = new URL(`https://hang.attacker.example:${port}/`);
  const controller = new AbortController();
  const { signal } = controller;
  const asking = guardedRequest(url, { allowPrivate: false, resolve, signal, maxBytes: 0 });
  await eventually(() => {
    expect(names.questions()).not.toBe(0);
  });
  const reason = new Error('time is over');
  controller.abort(reason);
  await expect(asking).rejects.toBe(reason);
});

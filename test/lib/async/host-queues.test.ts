/** Requests to a host, shared fairly by account. */
import { expect, test } from '@jest/globals';
import { HostQueues } from '../../../server/lib/async/host-queues.js';

test('hosts have separate limits, and the accounts on one share it', async () => {
  const hosts = new HostQueues(4);
  const releases = [hosts.take('one', 'a'), hosts.take('one', 'a')];
  expect([hosts.roomFor('one', 'a'), hosts.roomFor('one', 'b')]).toEqual([0, 1]);
  expect(hosts.roomFor('other', 'a')).toBe(2);
  const { signal } = new AbortController();
  const waiting = hosts.enter('one', 'a', signal);
  for (const release of releases) release();
  (await waiting)();
  expect(hosts.roomFor('one', 'a')).toBe(2);
});

test('a request that is released twice does not free a slot of a later one', async () => {
  const hosts = new HostQueues(2);
  const { signal } = new AbortController();
  const first = await hosts.enter('one', 'a', signal);
  first();
  await hosts.enter('one', 'a', signal);
  first();
  expect(hosts.roomFor('one', 'a')).toBe(0);
});

/** Invocations whose outcome cannot be recorded, since the database fails: what they held is free again at once. */
import { expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { whileFailing } from '../helpers/failing-table.js';
import { ended, messageIn, useWorld } from './world.js';

const world = useWorld();

const fullDisk = { code: '53100' };

test('the next message of the session does not wait for the lease to expire', async () => {
  const { api } = world.tenant;
  const { id } = await world.newAgent();
  const { database } = world.service;
  await whileFailing(database, 'memory_entries', fullDisk, () =>
    api.expect('invokeAgent', 503, messageIn('chat', id, 'Hi')),
  );
  expect(await database.prisma.sessionLease.count()).toBe(0);
  const start = performance.now();
  await api.expect('invokeAgent', 200, messageIn('chat', id, 'Hi again'));
  expect(performance.now() - start).toBeLessThan(2_000);
});

test('an asynchronous one is run again, without waiting for the lease to expire', async () => {
  const { id } = await world.newAgent();
  const { database } = world.service;
  const call = { ...messageIn('chat', id, 'Hi'), headers: { prefer: 'respond-async' } };
  const requestId = await whileFailing(database, 'memory_entries', fullDisk, async () => {
    const { data } = await world.tenant.api.expect('invokeAgent', 202, call);
    await eventually(() => {
      expect(world.provider.received).toHaveLength(1);
    });
    await eventually(async () => {
      expect(await database.prisma.sessionLease.count()).toBe(0);
    });
    return data.request_id;
  });
  const start = performance.now();
  const { invocation } = await ended(world.service, requestId);
  expect(performance.now() - start).toBeLessThan(4_000);
  expect(invocation).toMatchObject({ status: 'succeeded', attempts: 2 });
});

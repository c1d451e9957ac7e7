/** Invocations whose outcome cannot be recorded because the database fails: their leases are released at once. */
import { expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { whileFailing } from '../helpers/database/failing-table.js';
import { waitForLockWaiter } from '../helpers/database/lock-wait.js';
import { recordsOnceFinished, messageIn, useServiceWithModel } from './service-with-model.js';

const fixture = useServiceWithModel();

const fullDisk = { code: '53100' };

test('the next message of the session does not wait for the lease to expire', async () => {
  const { api } = fixture.tenant;
  const { id } = await fixture.newAgent();
  const { database } = fixture.service;
  await whileFailing(database, 'memory_entries', fullDisk, () =>
    api.expect('invokeAgent', 503, messageIn('chat', id, 'Hi')),
  );
  expect(await database.prisma.sessionLease.count()).toBe(0);
  await api.expect('invokeAgent', 200, messageIn('chat', id, 'Hi again'));
});

test('an asynchronous one is run again, without waiting for the lease to expire', async () => {
  const { id } = await fixture.newAgent();
  const { database } = fixture.service;
  const call = { ...messageIn('chat', id, 'Hi'), headers: { prefer: 'respond-async' } };
  const first = await whileFailing(database, 'memory_entries', fullDisk, async () => {
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    await eventually(() => {
      expect(fixture.provider.received).toHaveLength(1);
    });
    const running = await database.prisma.invocation.findFirstOrThrow({
      where: { id: data.request_id },
    });
    await eventually(async () => {
      expect(await database.prisma.sessionLease.count()).toBe(0);
    });
    return running;
  });
  const { invocation } = await recordsOnceFinished(fixture.service, first.id);
  expect(invocation).toMatchObject({ status: 'succeeded', attempts: 2 });
  expect(Number(invocation?.finishedAt)).toBeLessThan(Number(first.availableAt));
});

test('an asynchronous one is run again if the database fails before the model is called', async () => {
  const { id } = await fixture.newAgent();
  const { pool } = fixture.service.database;
  const lock = await pool.connect();
  try {
    await lock.query('BEGIN');
    await lock.query('LOCK TABLE memory_entries IN ACCESS EXCLUSIVE MODE');
    const call = { ...messageIn('chat', id, 'Hi'), headers: { prefer: 'respond-async' } };
    const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
    await pool.query('SELECT pg_terminate_backend($1)', [
      await waitForLockWaiter(pool, 'FROM memory_entries'),
    ]);
    await lock.query('COMMIT');
    const { invocation } = await recordsOnceFinished(fixture.service, data.request_id);
    expect(invocation?.status).toBe('succeeded');
  } finally {
    lock.release();
  }
});

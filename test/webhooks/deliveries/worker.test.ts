/** Delivery workers that crash, stop, lose their database or run in parallel. */
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { renewLeases } from '../../../server/webhooks/deliveries/queue.sql.js';
import { removeWebhook } from '../../../server/webhooks/webhooks.js';
import { administer } from '../../helpers/database/database.js';
import { claimDue, useDeliveryTest } from '../../helpers/service/delivery.js';
import { eventually } from '../../helpers/eventually.js';
import { whileFailing } from '../../helpers/database/failing-table.js';
import { purgeAll } from '../../helpers/database/purging.js';
import { accept, answer, inSequence } from '../../helpers/servers/receiver.js';
import { deleteAgent, insertAgent } from '../../helpers/database/rows.js';

const fixture = useDeliveryTest({ perTest: true, expectsProblems: true });

const deleteWebhook = (id: string) =>
  fixture.database.transaction((transaction) =>
    removeWebhook(transaction, { accountId: fixture.accountId, id, agentId: undefined }),
  );

test("a dead worker's deliveries are taken over when their leases end, and not before", async () => {
  const { receiver, webhook } = await fixture.receiving();
  const event = await fixture.send([webhook.id]);
  expect(await claimDue(fixture.database)).toMatchObject([{ eventId: event.id }]);
  await fixture.worker({ pollMs: 50 });
  // A delivery claimed later is delivered, so the worker has polled and has left the lease alone.
  const later = await fixture.send([webhook.id]);
  await fixture.tried(later.id);
  expect(await fixture.delivery(event.id)).toMatchObject({ status: 'pending', attempts: 0 });
  await fixture.database.prisma.$executeRaw`UPDATE deliveries SET next_attempt_at = now()`;
  expect(await fixture.tried(event.id)).toMatchObject({ status: 'succeeded', attempts: 1 });
  expect(receiver.receipts).toHaveLength(2);
});

test('a lease is renewed while an attempt runs, so that no other worker repeats it', async () => {
  let release: ServerResponse | undefined;
  const { receiver, webhook } = await fixture.receiving((response) => {
    release = response;
  });
  const event = await fixture.send([webhook.id]);
  await fixture.worker({ leaseMs: 2_000, pollMs: 50 });
  await fixture.worker({ leaseMs: 2_000, pollMs: 50 });
  await receiver.got(1);
  const { nextAttemptAt: firstEnd } = await fixture.delivery(event.id);
  await eventually(async () => {
    const { nextAttemptAt } = await fixture.delivery(event.id);
    expect(nextAttemptAt.getTime()).toBeGreaterThan(firstEnd.getTime() + 1_000);
  });
  expect(receiver.receipts).toHaveLength(1);
  release?.end();
  expect(await fixture.tried(event.id)).toMatchObject({ status: 'succeeded' });
});

test('a lost lease is not renewed, and its attempt is aborted', async () => {
  const { receiver, webhook } = await fixture.receiving(inSequence(() => undefined, answer(204)));
  const event = await fixture.send([webhook.id]);
  const slow = await fixture.worker({ leaseMs: 200, pollMs: 60_000 });
  await receiver.got(1);
  const thief = randomUUID();
  await fixture.database.prisma.delivery.updateMany({ data: { leaseOwner: thief } });
  const lease = {
    accountId: fixture.accountId,
    eventId: event.id,
    webhookId: webhook.id,
    owner: 'another owner',
  };
  expect(await renewLeases(fixture.database, [lease], 1_000)).toEqual([]);
  // The worker notices at its next renewal, and then has nothing left to wait for.
  await slow.stop(60_000);
  expect(await fixture.delivery(event.id)).toMatchObject({ leaseOwner: thief, attempts: 0 });
});

test('many workers share the deliveries, and each is made once', async () => {
  const { receiver, webhook } = await fixture.receiving();
  const events = [];
  for (let n = 0; n < 60; n += 1) events.push(await fixture.send([webhook.id]));
  await Promise.all([fixture.worker(), fixture.worker(), fixture.worker()]);
  await receiver.got(60);
  await eventually(async () => {
    const done = await fixture.database.prisma.delivery.count({ where: { status: 'succeeded' } });
    expect(done).toBe(60);
  });
  const ids = receiver.receipts.map(({ headers }) => headers['webhook-id']);
  expect(ids.sort()).toEqual(events.map(({ id }) => id).sort());
});

test('polling finds deliveries that were not announced', async () => {
  await fixture.worker({ pollMs: 100 });
  const { receiver, webhook } = await fixture.receiving();
  const event = await fixture.send([], {});
  await fixture.database.prisma.delivery.create({
    data: { accountId: fixture.accountId, eventId: event.id, webhookId: webhook.id },
  });
  await receiver.got(1);
});

test('an announced delivery does not wait for the next poll', async () => {
  await fixture.worker({ pollMs: 60_000 });
  const { receiver, webhook } = await fixture.receiving();
  for (let n = 1; n <= 5; n += 1) {
    await fixture.send([webhook.id]);
    await receiver.got(n);
  }
});

test('a stopping worker finishes what it can, and releases the rest at once', async () => {
  let finish: ServerResponse | undefined;
  const slow = await fixture.receiving(
    inSequence((response) => {
      finish = response;
    }, accept),
  );
  const hanging = await fixture.receiving(() => undefined);
  const worker = await fixture.worker();
  const finished = await fixture.send([slow.webhook.id]);
  const unfinished = await fixture.send([hanging.webhook.id]);
  await Promise.all([slow.receiver.got(1), hanging.receiver.got(1)]);
  const stopped = worker.stop(1_000);
  finish?.end();
  await stopped;
  expect(await fixture.delivery(finished.id)).toMatchObject({ status: 'succeeded' });
  const released = await fixture.delivery(unfinished.id);
  expect(released).toMatchObject({ status: 'pending', leaseOwner: null, attempts: 0 });
  const { rows } = await fixture.database.pool.query(
    'SELECT FROM deliveries WHERE event_id = $1 AND next_attempt_at <= now()',
    [unfinished.id],
  );
  expect(rows).toHaveLength(1);

  await fixture.send([slow.webhook.id]);
  expect(slow.receiver.receipts).toHaveLength(1);
  await fixture.worker();
  await Promise.all([slow.receiver.got(2), hanging.receiver.got(2)]);
});

test('a worker continues after losing all its database connections', async () => {
  const { receiver, webhook } = await fixture.receiving();
  await fixture.worker({ pollMs: 100 });
  await fixture.send([webhook.id]);
  await receiver.got(1);
  const name = new URL(fixture.databaseUrl).pathname.slice(1);
  await administer(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
  await eventually(() => fixture.send([webhook.id]));
  await receiver.got(2);
});

test('a result that was not recorded at first is recorded later, with why its webhook is disabled', async () => {
  const { webhook } = await fixture.receiving(answer(410));
  await fixture.worker({ pollMs: 50, leaseMs: 1_000 });
  const event = await whileFailing(fixture.database, 'log_entries', { code: '53100' }, async () => {
    const sent = await fixture.send([webhook.id]);
    await eventually(() => {
      expect(fixture.problems).not.toEqual([]);
    });
    expect(await fixture.webhookRow(webhook.id)).toMatchObject({ status: 'enabled' });
    return sent;
  });
  await eventually(async () => {
    expect(await fixture.delivery(event.id)).toMatchObject({ status: 'failed', attempts: 1 });
  });
  expect(await fixture.logOf(event.requestId)).toMatchObject([
    { message: expect.stringMatching(/ is disabled, .* The receiver answered 410 Gone\.$/) },
  ]);
});

test('a delivery of a webhook that is deleted during the attempt is dropped without an error', async () => {
  let response: ServerResponse | undefined;
  const { receiver, webhook } = await fixture.receiving((open) => {
    response = open;
  });
  const worker = await fixture.worker();
  await fixture.send([webhook.id]);
  await receiver.got(1);
  await deleteWebhook(webhook.id);
  if (response) {
    response.end();
    await once(response, 'close');
  }
  await worker.stop(10_000);
  await purgeAll(fixture.database);
  expect(await fixture.database.prisma.delivery.count()).toBe(0);
  expect(fixture.problems).toEqual([]);
});

test('agents can be deleted while their deliveries fail, without a conflict', async () => {
  const { prisma } = fixture.database;
  const { receiver } = await fixture.receiving(answer(500));
  await fixture.worker({ pollMs: 50 });
  for (let round = 1; round <= 4; round += 1) {
    const agentId = await insertAgent(fixture.database, fixture.accountId);
    const webhooks = await Promise.all([1, 2, 3].map(() => fixture.webhook(receiver.url)));
    const ids = webhooks.map(({ id }) => id);
    await prisma.webhook.updateMany({ where: { id: { in: ids } }, data: { agentId } });
    await Promise.all(Array.from({ length: 5 }, () => fixture.send(ids, { agentId })));
    await receiver.got(receiver.receipts.length + 1);
    await fixture.database.transaction((transaction) =>
      deleteAgent(transaction, fixture.accountId, agentId),
    );
  }
  await purgeAll(fixture.database);
  expect(await prisma.delivery.count()).toBe(0);
  expect(fixture.problems).toEqual([]);
});

test('pending deliveries of a deleted webhook are not sent, and delay no others', async () => {
  const { pool } = fixture.database;
  const gone = await fixture.receiving();
  await pool.query(
    `WITH events AS (
       INSERT INTO events (id, account_id, agent_id, request_id, type, body)
       SELECT 'evt_' || n, $1, 'agent', 'req', 'agent.completed', '{}' FROM generate_series(1, 2000) AS n RETURNING id)
     INSERT INTO deliveries (account_id, event_id, webhook_id) SELECT $1, id, $2 FROM events`,
    [fixture.accountId, gone.webhook.id],
  );
  await deleteWebhook(gone.webhook.id);
  const { receiver, webhook } = await fixture.receiving();
  await fixture.send([webhook.id]);
  await fixture.worker({ pollMs: 50 });
  await receiver.got(1);
  expect(gone.receiver.receipts).toEqual([]);
});

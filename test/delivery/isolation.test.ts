/** Receivers that hang cost the others nothing, and what is due is taken only as fast as it can be sent. */
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { defaultLimits } from '../../server/delivery/receivers.js';
import { manyOnOneHost, useDeliveryTest } from '../helpers/delivery.js';
import { composeEvent, insertEvents } from '../helpers/events.js';
import { eventually } from '../helpers/eventually.js';
import type { Behaviour } from '../helpers/receiver.js';

const bench = useDeliveryTest({ perTest: true });

const hang: Behaviour = () => undefined;

async function sendMany(webhookIds: string[], each: number): Promise<void> {
  const { database, accountId, agentId } = bench;
  const events = webhookIds.flatMap((webhookId) =>
    Array.from({ length: each }, () => ({
      ...composeEvent({ agentId }),
      accountId,
      agentId,
      webhookIds: [webhookId],
    })),
  );
  await insertEvents(database, events);
}

const inFlight = (to: object = {}) =>
  bench.database.prisma.delivery.count({ where: { leaseOwner: { not: null }, ...to } });

const attemptsTo = async (webhookIds: string[]) => {
  const { _sum } = await bench.database.prisma.delivery.aggregate({
    where: { webhookId: { in: webhookIds } },
    _sum: { attempts: true },
  });
  return _sum.attempts;
};

test('fifty receivers that hang do not make fifty healthy ones wait', async () => {
  const hanging = await Promise.all(Array.from({ length: 50 }, () => bench.receiving(hang)));
  const healthy = await Promise.all(Array.from({ length: 50 }, () => bench.receiving()));
  const hangingIds = hanging.map(({ webhook }) => webhook.id);
  await bench.worker();
  await sendMany(hangingIds, 10);
  await Promise.all(hanging.map(({ receiver }) => receiver.got(1, 30_000)));
  await sendMany(
    healthy.map(({ webhook }) => webhook.id),
    10,
  );
  await Promise.all(healthy.map(({ receiver }) => receiver.got(10, 30_000)));
  // Not one of those that hang was over by then, so nobody waited for any of them.
  expect(await attemptsTo(hangingIds)).toBe(0);
});

test('a receiver is found behind a thousand due deliveries that must wait', async () => {
  const hanging = await bench.receiving(hang);
  await sendMany([hanging.webhook.id], 1_200);
  const healthy = await bench.receiving();
  await sendMany([healthy.webhook.id], 20);
  await bench.worker();
  await healthy.receiver.got(20, 30_000);
  expect(await attemptsTo([hanging.webhook.id])).toBe(0);
  // And of those that wait no more were taken than the receiver may have at a time.
  expect(hanging.receiver.receipts).toHaveLength(defaultLimits.initialCapacity);
  const held = await inFlight({ webhookId: hanging.webhook.id });
  expect(held).toBeLessThanOrEqual(defaultLimits.initialCapacity);
});

test('no more attempts run at a time than are allowed in all', async () => {
  const hanging = await Promise.all(Array.from({ length: 30 }, () => bench.receiving(hang)));
  await sendMany(
    hanging.map(({ webhook }) => webhook.id),
    3,
  );
  await bench.worker({ limits: { ...manyOnOneHost, quick: 5, slow: 7, quickMs: 50 }, pollMs: 20 });
  const received = () => hanging.reduce((sum, { receiver }) => sum + receiver.receipts.length, 0);
  await eventually(() => {
    expect(received()).toBe(12);
  });
  await bench.passPauses();
  expect(await inFlight()).toBe(12);
  expect(received()).toBe(12);
});

test('an attempt that takes long steps aside for quick ones', async () => {
  const hanging = await Promise.all(Array.from({ length: 3 }, () => bench.receiving(hang)));
  const healthy = await bench.receiving();
  const hangingIds = hanging.map(({ webhook }) => webhook.id);
  await sendMany(hangingIds, 1);
  await bench.worker({ limits: { ...manyOnOneHost, quick: 3, slow: 3, quickMs: 200 } });
  await Promise.all(hanging.map(({ receiver }) => receiver.got(1, 30_000)));
  await sendMany([healthy.webhook.id], 10);
  await healthy.receiver.got(10, 30_000);
  expect(await attemptsTo(hangingIds)).toBe(0);
});

test('a receiver that fails is tried once at a time, one that works more and more', async () => {
  await bench.worker();
  const working = await receivingTogether(200);
  await sendMany([working.webhook.id], 150);
  expect(await working.mostAtATime(150)).toBe(defaultLimits.maxCapacity);

  const failing = await receivingTogether(500);
  await bench.database.prisma.webhook.update({
    where: { id: failing.webhook.id },
    data: { failingSince: new Date() },
  });
  await sendMany([failing.webhook.id], 20);
  expect(await failing.mostAtATime(20)).toBe(1);
});

test('many webhooks on one host have no more attempts at a time than the host may get', async () => {
  const { receiver, webhook } = await bench.receiving(hang);
  const webhooks = await Promise.all(
    Array.from({ length: 20 }, (_, index) => bench.webhook(`${receiver.url}?n=${index}`)),
  );
  await sendMany([webhook.id, ...webhooks.map(({ id }) => id)], 3);
  await bench.worker({ limits: { ...defaultLimits, maxPerHost: 6 }, pollMs: 20 });
  await receiver.got(6);
  await bench.passPauses();
  expect(await inFlight()).toBe(6);
  expect(receiver.receipts).toHaveLength(6);
});

/** A receiver that keeps requests waiting until everything that was claimed for it has arrived. */
async function receivingTogether(status: number) {
  const waiting: ServerResponse[] = [];
  const { receiver, webhook } = await bench.receiving((response) => void waiting.push(response));
  return {
    webhook,
    /** Answers so many requests, and returns how many there were at a time at the most. */
    mostAtATime: async (requests: number): Promise<number> => {
      let most = 0;
      for (let answered = 0; answered < requests; answered += waiting.splice(0).length) {
        await eventually(async () => {
          expect(waiting).not.toHaveLength(0);
          expect(waiting).toHaveLength(await inFlight({ webhookId: webhook.id }));
        }, 30_000);
        most = Math.max(most, waiting.length);
        for (const response of waiting) response.writeHead(status).end();
      }
      expect(receiver.receipts).toHaveLength(requests);
      return most;
    },
  };
}

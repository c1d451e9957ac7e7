/** A receiver that hangs delays no other receiver, and an account with a backlog delays no other account. */
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { defaultLimits } from '../../../server/webhooks/deliveries/receivers.js';
import { useDeliveryTest } from '../../helpers/service/delivery.js';
import { composeEvent, insertEvents } from '../../helpers/database/events.js';
import { eventually } from '../../helpers/eventually.js';
import type { Behaviour } from '../../helpers/servers/receiver.js';
import { insertAccount } from '../../helpers/database/rows.js';

const fixture = useDeliveryTest({ perTest: true });

const hang: Behaviour = () => undefined;

interface Placement {
  accountId?: string;
  /** By default each receiver counts as a host of its own, although all are on loopback. */
  host?: string;
}

async function receiving(behave?: Behaviour, { accountId, host }: Placement = {}) {
  const { receiver, webhook } = await fixture.receiving(behave);
  const data = { host: host ?? webhook.id, accountId: accountId ?? fixture.accountId };
  await fixture.database.prisma.webhook.update({ where: { id: webhook.id }, data });
  return { receiver, id: webhook.id, accountId: data.accountId };
}

type Receiving = Awaited<ReturnType<typeof receiving>>;

async function send(to: Receiving[], each: number, response = 'Hello'): Promise<void> {
  const { database, agentId } = fixture;
  const events = to.flatMap(({ id, accountId }) =>
    Array.from({ length: each }, () => ({
      ...composeEvent({ agentId, response }),
      accountId,
      agentId,
      webhookIds: [id],
    })),
  );
  await insertEvents(database, events);
}

/** Deliveries that became due a minute ago. */
async function backlog({ id, accountId }: Receiving, count: number): Promise<void> {
  await fixture.database.pool.query(
    `WITH event AS (
       INSERT INTO events (id, account_id, agent_id, request_id, type, body)
       SELECT 'evt_' || $2 || n, $1, 'agent', 'req', 'agent.completed', '{}' FROM generate_series(1, $3) AS n RETURNING id)
     INSERT INTO deliveries (account_id, event_id, webhook_id, next_attempt_at)
     SELECT $1, id, $2, now() - interval '1 minute' FROM event`,
    [accountId, id, count],
  );
}

const inFlight = (to: object = {}) =>
  fixture.database.prisma.delivery.count({ where: { leaseOwner: { not: null }, ...to } });

/** Waits until the worker has claimed as many deliveries as it may, and then finds no more to claim. */
async function settled(): Promise<number> {
  const accountId = await insertAccount(fixture.database);
  const probe = await receiving(undefined, { accountId });
  await send([probe], 1);
  await probe.receiver.got(1, 30_000);
  return inFlight({ accountId: { not: accountId } });
}

const attemptsTo = async (receivers: Receiving[]) => {
  const { _sum } = await fixture.database.prisma.delivery.aggregate({
    where: { webhookId: { in: receivers.map(({ id }) => id) } },
    _sum: { attempts: true },
  });
  return _sum.attempts;
};

test('fifty hanging receivers do not delay fifty healthy ones of the same account', async () => {
  const hanging = await Promise.all(Array.from({ length: 50 }, () => receiving(hang)));
  const healthy = await Promise.all(Array.from({ length: 50 }, () => receiving()));
  await fixture.worker({ limits: defaultLimits });
  await send(hanging, 10);
  await Promise.all(hanging.map(({ receiver }) => receiver.got(1, 30_000)));
  await send(healthy, 10);
  await Promise.all(healthy.map(({ receiver }) => receiver.got(10, 30_000)));
  // No hanging attempt has ended, so none of the others waited for one.
  expect(await attemptsTo(hanging)).toBe(0);
});

test('10,000 due deliveries to a hanging receiver do not hide another receiver of the account', async () => {
  const hanging = await receiving(hang);
  await backlog(hanging, 10_000);
  const healthy = await receiving();
  await send([healthy], 20);
  await fixture.worker({ limits: defaultLimits });
  await healthy.receiver.got(20, 30_000);
  await send([healthy], 20);
  await healthy.receiver.got(40, 30_000);
  expect(await attemptsTo([hanging])).toBe(0);
  expect(await inFlight({ webhookId: hanging.id })).toBe(defaultLimits.perHost / 4);
});

test.each([
  ['hangs', hang],
  ['answers', undefined],
])(
  'an account with 10,000 due deliveries to a receiver that %s does not delay an account with one',
  async (_how, behave) => {
    const busy = await receiving(behave);
    await backlog(busy, 10_000);
    await fixture.worker({ limits: defaultLimits, pollMs: 60_000 });
    await busy.receiver.got(1, 30_000);
    const other = await receiving(undefined, { accountId: await insertAccount(fixture.database) });
    await send([other], 1);
    await other.receiver.got(1, 30_000);
    expect(busy.receiver.receipts.length).toBeLessThan(10_000);
  },
);

test('a delivery that became due before a backlog of others is found too', async () => {
  const hanging = await receiving(hang);
  const healthy = await receiving();
  await send([healthy], 1);
  await fixture.database.prisma
    .$executeRaw`UPDATE deliveries SET next_attempt_at = now() - interval '1 hour'`;
  await backlog(hanging, 5_000);
  await fixture.worker({ limits: defaultLimits, pollMs: 60_000 });
  await healthy.receiver.got(1, 30_000);
});

test('an account uses at most half of all attempts, and leaves the rest to other accounts', async () => {
  const hanging = await Promise.all(Array.from({ length: 12 }, () => receiving(hang)));
  await send(hanging, 3);
  await fixture.worker({ limits: { ...defaultLimits, total: 10 } });
  await eventually(async () => {
    expect(await inFlight()).toBe(5);
  });
  expect(await settled()).toBe(5);
});

test('a webhook gets a quarter of the attempts to a host, also while it fails', async () => {
  const { target, answer } = await receivingTogether();
  await send([target], 20);
  await fixture.worker({ limits: { ...defaultLimits, perHost: 16 } });
  expect(await answer(200)).toBe(4);
  expect(await answer(500)).toBe(4);
  expect(await answer(500)).toBe(4);
});

test('webhooks on one host share its attempts, also between accounts', async () => {
  const placement = { host: 'hooks.example.com' };
  const hanging = await Promise.all(Array.from({ length: 20 }, () => receiving(hang, placement)));
  await send(hanging, 3);
  await fixture.worker({ limits: { ...defaultLimits, perHost: 6 } });
  await eventually(async () => {
    expect(await inFlight()).toBe(3);
  });
  const accountId = await insertAccount(fixture.database);
  const other = await receiving(undefined, { ...placement, accountId });
  await send([other], 5);
  await other.receiver.got(5);
  expect(await settled()).toBe(3);
});

test('a webhook that hangs delays no other webhook of its account on the same host', async () => {
  const placement = { host: 'hooks.example.com' };
  const hanging = await receiving(hang, placement);
  await backlog(hanging, 1_000);
  await fixture.worker({ limits: defaultLimits });
  await hanging.receiver.got(1, 30_000);
  const healthy = await receiving(undefined, placement);
  await send([healthy], 20);
  await healthy.receiver.got(20, 30_000);
  expect(await attemptsTo([hanging])).toBe(0);
});

test('large events to hanging receivers do not delay the large events of another account', async () => {
  const large = 'x'.repeat(100_000);
  const hanging = await Promise.all(Array.from({ length: 10 }, () => receiving(hang)));
  await send(hanging, 5, large);
  await fixture.worker({ limits: defaultLimits });
  const arrived = () => hanging.reduce((sum, { receiver }) => sum + receiver.receipts.length, 0);
  await eventually(() => {
    expect(arrived()).toBe(16);
  });
  const other = await receiving(undefined, { accountId: await insertAccount(fixture.database) });
  await send([other], 5, large);
  await other.receiver.got(5, 30_000);
  expect(await attemptsTo(hanging)).toBe(0);
});

/** A receiver that holds its requests until every delivery claimed for it has arrived. */
async function receivingTogether() {
  const waiting: ServerResponse[] = [];
  const target = await receiving((response) => void waiting.push(response));
  /** Answers the held requests and returns their number. */
  const answer = async (status: number): Promise<number> => {
    await eventually(async () => {
      expect(waiting).not.toHaveLength(0);
      expect(waiting).toHaveLength(await inFlight({ webhookId: target.id }));
    }, 30_000);
    const answered = waiting.splice(0);
    for (const response of answered) response.writeHead(status).end();
    return answered.length;
  };
  return { target, answer };
}

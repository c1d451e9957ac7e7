/** Claiming deliveries: fair, bounded, and never the same one twice. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import {
  claimDeliveries,
  type ClaimOptions,
  type Continuation,
} from '../../server/store/deliveries.js';
import { useDatabase } from '../helpers/database.js';
import { claimAnything } from '../helpers/delivery.js';
import { composeEvent, insertEvents } from '../helpers/events.js';
import { insertAccount, insertWebhooks } from '../helpers/rows.js';

const bench = useDatabase({ perTest: true });
let accountId: string;

beforeEach(async () => {
  accountId = await insertAccount(bench.database);
});

async function pending(webhookIds: string[], each: number, dueAt?: Date): Promise<void> {
  const agentId = 'agent_1';
  const webhooks = await bench.database.prisma.webhook.findMany({
    where: { id: { in: webhookIds } },
    select: { id: true, accountId: true },
  });
  const events = webhooks.flatMap(({ id, accountId: owner }) =>
    Array.from({ length: each }, () => ({
      ...composeEvent({ agentId }),
      accountId: owner,
      agentId,
      webhookIds: [id],
      ...(dueAt ? { dueAt } : {}),
    })),
  );
  await insertEvents(bench.database, events);
}

const newWebhooks = (count: number) => insertWebhooks(bench.database, count, accountId);

const claim = (changes: Partial<ClaimOptions> = {}) =>
  claimDeliveries(bench.database, {
    ...claimAnything,
    owner: randomUUID(),
    ...changes,
  });

const webhooksOf = ({ deliveries }: Awaited<ReturnType<typeof claim>>) =>
  deliveries.map(({ webhookId }) => webhookId);

test('claims made at the same time share what is due, with nothing twice and nothing left', async () => {
  const [one = ''] = await newWebhooks(1);
  await pending([one], 90);
  const claims = await Promise.all([1, 2, 3, 4].map(() => claim({ limit: 25 })));
  const rest = await claim();
  const ids = [...claims, rest].flatMap(({ deliveries }) => deliveries.map((row) => row.eventId));
  expect(ids).toHaveLength(90);
  expect(new Set(ids).size).toBe(90);
  expect((await claim()).deliveries).toEqual([]);
});

test('the first delivery of every webhook comes before the second of any', async () => {
  const [busy = '', ...others] = await newWebhooks(6);
  await pending([busy], 50);
  await pending(others, 1);
  const claimed = webhooksOf(await claim({ limit: 6 }));
  expect(claimed.sort()).toEqual([busy, ...others].sort());
});

test('each webhook gets no more than it has room for, and one that fails a single one', async () => {
  const [full = '', roomy = '', usual = '', failing = ''] = await newWebhooks(4);
  await bench.database.prisma.webhook.update({
    where: { id: failing },
    data: { failingSince: new Date() },
  });
  await pending([full, roomy, usual, failing], 10);
  const capacities = new Map([
    [full, 0],
    [roomy, 7],
  ]);
  const claimed = await claim({ capacities, defaultCapacity: 2 });
  const count = (id: string) => webhooksOf(claimed).filter((other) => other === id).length;
  expect([full, roomy, usual, failing].map(count)).toEqual([0, 7, 2, 1]);
  expect(claimed.hasMore).toBe(true);
  expect(
    webhooksOf(await claim({ capacities, defaultCapacity: 2, includeFailing: false })),
  ).not.toContain(failing);
});

test('accounts take turns, and one may hold as much as is left for the others', async () => {
  const busy = await newWebhooks(20);
  await pending(busy, 5);
  const otherId = await insertAccount(bench.database);
  const [other = ''] = await insertWebhooks(bench.database, 1, otherId);
  await pending([other], 3);
  const both = webhooksOf(await claim({ limit: 6 }));
  expect(both.filter((id) => id === other)).toHaveLength(3);
  // It holds 10 of 24 slots, so that it may have two more, and then 12 are free.
  const more = await claim({ held: new Map([[accountId, 10]]), free: 14 });
  expect(more.deliveries).toHaveLength(2);
  expect(more.hasMore).toBe(true);
});

test('many webhooks on one host get no more than the host has room for, its accounts in turns', async () => {
  const otherId = await insertAccount(bench.database);
  const [other = ''] = await insertWebhooks(bench.database, 1, otherId);
  const crowd = await newWebhooks(30);
  await bench.database.prisma.webhook.updateMany({ data: { host: 'hooks.example.com' } });
  const [elsewhere = ''] = await newWebhooks(1);
  await pending(crowd, 5);
  await pending([other, elsewhere], 2);
  const hostCapacities = new Map([['hooks.example.com', 4]]);
  const claimed = webhooksOf(await claim({ hostCapacities }));
  const count = (id: string) => claimed.filter((each) => each === id).length;
  expect([count(other), count(elsewhere), claimed.length]).toEqual([2, 2, 6]);
});

test('an account whose failing webhooks have used up their share does not keep those of others waiting', async () => {
  const failing = await newWebhooks(2);
  const otherId = await insertAccount(bench.database);
  const others = await insertWebhooks(bench.database, 2, otherId);
  await bench.database.prisma.webhook.updateMany({ data: { failingSince: new Date() } });
  await pending([...failing, ...others], 1);
  const claimed = await claim({ excludeFailingOf: [accountId] });
  expect(webhooksOf(claimed).sort()).toEqual(others.sort());
});

test('what is not due yet is left alone', async () => {
  const webhooks = await newWebhooks(1);
  await pending(webhooks, 3, new Date(Date.now() + 60_000));
  expect(await claim()).toEqual({ deliveries: [], hasMore: false, next: undefined, isDone: true });
});

test('a thousand webhooks are found behind deliveries that must wait, page by page', async () => {
  const [blocked = ''] = await newWebhooks(1);
  await pending([blocked], 600, new Date(Date.now() - 60_000));
  const webhooks = await newWebhooks(1_050);
  await pending(webhooks, 1);
  const found: string[] = [];
  const counts: number[] = [];
  let from: Continuation | undefined;
  do {
    const claimed = await claim({ capacities: new Map([[blocked, 0]]), limit: 400, from });
    found.push(...webhooksOf(claimed));
    counts.push(claimed.deliveries.length);
    from = claimed.next;
  } while (from !== undefined);
  expect(found.sort()).toEqual(webhooks.sort());
  // By age there is nothing to be had; then each page of 500 webhooks gives what a claim can take, until all are found.
  expect(counts).toEqual([0, 400, 400, 51, 99, 100, 0]);
});

/** Claiming deliveries: fair, bounded, and never the same one twice. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import {
  claimDeliveries,
  type ClaimOptions,
  type Continuation,
} from '../../server/store/deliveries.js';
import { useDatabase } from '../helpers/database.js';
import { composeEvent, insertEvents } from '../helpers/events.js';
import { insertAccount, insertWebhooks } from '../helpers/rows.js';

const bench = useDatabase({ perTest: true });
let accountId: string;

beforeEach(async () => {
  accountId = await insertAccount(bench.database);
});

async function pending(webhookIds: string[], each: number, dueAt?: Date): Promise<void> {
  const agentId = 'agent_1';
  const events = webhookIds.flatMap((id) =>
    Array.from({ length: each }, () => ({
      ...composeEvent({ agentId }),
      accountId,
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
    owner: randomUUID(),
    leaseMs: 60_000,
    limit: 100,
    capacities: new Map(),
    defaultCapacity: 1_000,
    includeFailing: true,
    from: undefined,
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

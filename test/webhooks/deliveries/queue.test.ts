/** Claiming deliveries: bounded per receiver, oldest first, and never the same one twice. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import {
  claimDeliveries,
  findDueReceivers,
  maxClaimed,
} from '../../../server/webhooks/deliveries/queue.sql.js';
import { useDatabase } from '../../helpers/database/database.js';
import { composeEvent, insertEvents } from '../../helpers/database/events.js';
import {
  analyzeAll,
  nodesOf,
  type PlanNode,
  withoutPartitions,
} from '../../helpers/database/plans.js';
import { insertAccount, insertWebhooks } from '../../helpers/database/rows.js';

const fixture = useDatabase({ perTest: true });
let accountId: string;

beforeEach(async () => {
  accountId = await insertAccount(fixture.database);
});

const agentId = 'agent_1';
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000);

async function pending(webhookId: string, count: number, dueAt = secondsAgo(1)): Promise<string[]> {
  const events = Array.from({ length: count }, () => ({
    ...composeEvent({ agentId }),
    accountId,
    agentId,
    webhookIds: [webhookId],
    dueAt,
  }));
  await insertEvents(fixture.database, events);
  return events.map(({ id }) => id);
}

const newWebhooks = (count: number) => insertWebhooks(fixture.database, count, accountId);

async function claim(...limits: [webhookId: string, limit: number][]): Promise<string[]> {
  const lease = { owner: randomUUID(), leaseMs: 60_000 };
  const claimed = await claimDeliveries(fixture.database, {
    accountId,
    limits: new Map(limits),
    ...lease,
  });
  return claimed.map(({ eventId }) => eventId);
}

const dueReceivers = async (limit: number | null) => {
  const found = await findDueReceivers(fixture.database, limit);
  return found.map(({ webhookId }) => webhookId).sort();
};

test('concurrent claims share the due deliveries, without duplicates or leftovers', async () => {
  const [one = ''] = await newWebhooks(1);
  const events = await pending(one, 90);
  const claims = await Promise.all([1, 2, 3, 4].map(() => claim([one, 25])));
  const rest = await claim([one, 100]);
  expect([...claims.flat(), ...rest].sort()).toEqual(events.sort());
  expect(await claim([one, 100])).toEqual([]);
});

test('each webhook gets as many as it has capacity for, oldest first, and others get none', async () => {
  const [small = '', large = '', other = ''] = await newWebhooks(3);
  const old = await pending(small, 2, secondsAgo(60));
  await pending(small, 10);
  const all = await pending(large, 3);
  await pending(other, 5);
  const claimed = await claim([small, 2], [large, 7]);
  expect(claimed.sort()).toEqual([...old, ...all].sort());
});

test("one account cannot claim another account's deliveries", async () => {
  const [one = ''] = await newWebhooks(1);
  await pending(one, 1);
  accountId = await insertAccount(fixture.database);
  expect(await claim([one, 10])).toEqual([]);
});

test('deliveries that are not due yet are neither found nor claimed', async () => {
  const [one = ''] = await newWebhooks(1);
  await pending(one, 3, secondsAgo(-60));
  expect(await dueReceivers(null)).toEqual([]);
  expect(await claim([one, 10])).toEqual([]);
});

test('a receiver is found with its account and its host', async () => {
  const [webhookId = ''] = await newWebhooks(1);
  const data = { host: 'hooks.example.com' };
  await fixture.database.prisma.webhook.update({ where: { id: webhookId }, data });
  await pending(webhookId, 3);
  expect(await findDueReceivers(fixture.database, null)).toEqual([
    { accountId, webhookId, host: 'hooks.example.com' },
  ]);
});

test('a limited search finds the last due deliveries, whatever the backlog, and a full one finds all', async () => {
  const [backlog = '', old = '', fresh = ''] = await newWebhooks(3);
  await pending(old, 1, secondsAgo(120));
  await pending(backlog, 600, secondsAgo(60));
  await pending(fresh, 1);
  expect(await dueReceivers(100)).toEqual([backlog, fresh].sort());
  expect(await dueReceivers(null)).toEqual([backlog, fresh, old].sort());
});

test('PostgreSQL estimates few rows for a claim, whatever the backlog', async () => {
  const { database } = fixture;
  const [one = ''] = await newWebhooks(1);
  await database.pool.query(
    `WITH event AS (
       INSERT INTO events (id, account_id, agent_id, request_id, type, body)
       SELECT 'evt_' || n, $1, 'agent', 'req', 'agent.completed', '{}' FROM generate_series(1, 20000) AS n RETURNING id)
     INSERT INTO deliveries (account_id, event_id, webhook_id) SELECT $1, id, $2 FROM event`,
    [accountId, one],
  );
  await analyzeAll(database);
  const nodes = nodesOf(await planOfClaim());
  expect(nodes.map((node) => node['Index Name'])).toContain('deliveries_webhook_due_idx');
  // With many rows it would join whole tables.
  expect(Math.max(...nodes.map((node) => joinedRows(node)))).toBeLessThanOrEqual(maxClaimed);
});

/** The number of claimed rows that PostgreSQL estimates. */
const joinedRows = (node: PlanNode) =>
  node['Node Type'] === 'CTE Scan' ? (node['Plan Rows'] ?? Infinity) : 0;

/** The generic plan. */
async function planOfClaim(): Promise<PlanNode> {
  const { database } = fixture;
  let text = '';
  const run: typeof database.run = (statement) => {
    ({ text } = statement);
    return Promise.resolve([]);
  };
  const anything = { accountId, limits: new Map<string, number>(), owner: '', leaseMs: 0 };
  await claimDeliveries({ ...database, run }, anything);
  const client = await database.pool.connect();
  try {
    await client.query('SET plan_cache_mode = force_generic_plan');
    await client.query(`PREPARE claim AS ${text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      'EXPLAIN (FORMAT JSON) EXECUTE claim (NULL, NULL, NULL, NULL, NULL)',
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    if (!plan) throw new Error('PostgreSQL gave no plan.');
    return await withoutPartitions(client, plan);
  } finally {
    client.release(true);
  }
}

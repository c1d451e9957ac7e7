/** Renewing leases skips locked rows: waiting could deadlock with a transaction that holds one and waits for another. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { newId } from '../../server/lib/data/typeid.js';
import type { Transaction } from '../../server/postgres/connection.js';
import { releaseLeases, renewLeases } from '../../server/webhooks/deliveries/queue.sql.js';
import { enqueueInvocations, InvocationQueue } from '../../server/invocations/queue.sql.js';
import { useDatabase } from '../helpers/database/database.js';
import { claimDue } from '../helpers/service/delivery.js';
import { composeEvent, insertEvents } from '../helpers/database/events.js';
import { insertAccount, insertAgent, insertWebhook } from '../helpers/database/rows.js';

const fixture = useDatabase();
const leaseMs = 60_000;
const later = 10 * leaseMs;
let accountId: string;
let agentId: string;

beforeEach(async () => {
  accountId = await insertAccount(fixture.database);
  agentId = await insertAgent(fixture.database, accountId);
});

/** Runs the work while another transaction holds a row lock, like one that records an outcome. */
async function whileLocked<Result>(
  table: 'invocations' | 'deliveries',
  [column, id]: readonly [string, string],
  work: () => Promise<Result>,
): Promise<Result> {
  const lock = async (transaction: Transaction) => {
    const text = `SELECT FROM ${table} WHERE ${column} = $1 FOR UPDATE`;
    await transaction.run({ name: `lock_${table}`, text }, [id]);
    return work();
  };
  return fixture.database.transaction(lock);
}

const isRenewed = (until: Date | null | undefined) =>
  until !== null && until !== undefined && until.getTime() > Date.now() + later / 2;

test('invocations: locked ones are still held, and the others are renewed', async () => {
  const { database } = fixture;
  const ids = [newId('req'), newId('req'), newId('req')];
  for (const id of ids) {
    const row = {
      id,
      agentId,
      accountId,
      environment: null,
      userId: null,
      sessionId: null,
      message: 'Hi',
    };
    const more = {
      context: null,
      createdBy: null,
      createdAt: new Date(),
      idempotencyId: null,
      traceContext: null,
      hops: 0,
      hasActed: false,
      schedule: null,
    };
    const invocations = [{ ...row, ...more }];
    await database.transaction((transaction) =>
      enqueueInvocations(transaction, { accountId, invocations, maxQueued: 10 }),
    );
  }
  const queueOf = (ms: number) => new InvocationQueue({ database, leaseMs: ms });
  const items = await queueOf(leaseMs).claim(accountId, 10);
  expect(items).toHaveLength(3);
  const [locked = ''] = ids;
  const held = await whileLocked('invocations', ['id', locked], () => queueOf(later).renew(items));
  expect(held).toEqual(new Set(items.map(({ id, owner }) => `${id} ${owner}`)));
  const rows = await database.prisma.invocation.findMany({ where: { agentId } });
  const renewed = rows.filter(({ availableAt }) => isRenewed(availableAt)).map(({ id }) => id);
  expect(new Set(renewed)).toEqual(new Set(ids.slice(1)));
  const ofAnother = items.map((item) => ({ ...item, owner: 'another' }));
  expect(await queueOf(later).renew(ofAnother)).toEqual(new Set());
});

test('deliveries: locked ones are still held, and the others are renewed', async () => {
  const { database } = fixture;
  const webhookId = await insertWebhook(database, accountId, agentId);
  const events = [1, 2, 3].map(() => ({
    ...composeEvent({ agentId }),
    accountId,
    agentId,
    webhookIds: [webhookId],
  }));
  await insertEvents(database, events);
  const owner = randomUUID();
  const claimed = await claimDue(database, { owner });
  const leases = claimed.map(({ eventId }) => ({
    accountId,
    eventId,
    webhookId,
    owner,
  }));
  expect(leases).toHaveLength(3);
  const [locked] = leases;
  const held = await whileLocked('deliveries', ['event_id', locked?.eventId ?? ''], () =>
    renewLeases(database, leases, later),
  );
  expect(new Set(held)).toEqual(new Set(leases));
  const rows = await database.prisma.delivery.findMany({ where: { accountId } });
  const renewed = rows.filter((row) => isRenewed(row.nextAttemptAt)).map((row) => row.eventId);
  expect(new Set(renewed)).toEqual(new Set(leases.slice(1).map(({ eventId }) => eventId)));
  const ofAnother = leases.map((lease) => ({ ...lease, owner: 'another' }));
  expect(await renewLeases(database, ofAnother, later)).toEqual([]);
});

test('deliveries: of those claimed together, only the given ones are renewed and released', async () => {
  const { database } = fixture;
  const webhookIds = [
    await insertWebhook(database, accountId, agentId),
    await insertWebhook(database, accountId, agentId),
  ];
  const events = [1, 2].map(() => ({
    ...composeEvent({ agentId }),
    accountId,
    agentId,
    webhookIds,
  }));
  await insertEvents(database, events);
  const owner = randomUUID();
  const claimed = await claimDue(database, { owner });
  expect(claimed).toHaveLength(4);
  // Two that share neither their event nor their webhook.
  const given = events.map(({ id: eventId }, n) => ({
    accountId,
    eventId,
    webhookId: webhookIds[n] ?? '',
    owner,
  }));
  expect(new Set(await renewLeases(database, given, later))).toEqual(new Set(given));
  const rows = () => database.prisma.delivery.findMany({ where: { accountId } });
  expect((await rows()).filter((row) => isRenewed(row.nextAttemptAt))).toHaveLength(2);
  await releaseLeases(database, given);
  const released = (await rows()).filter(({ leaseOwner }) => leaseOwner === null);
  const keys = (list: { eventId: string; webhookId: string }[]) =>
    new Set(list.map(({ eventId, webhookId }) => `${eventId} ${webhookId}`));
  expect(keys(released)).toEqual(keys(given));
});

/** A database with an account, an agent and webhooks, and workers that deliver to receivers on loopback. */
import { randomBytes, randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { expect } from '@jest/globals';
import { createWebhook } from '../../../server/webhooks/webhooks.js';
import type {
  DeliveryModel,
  LogEntryModel,
  WebhookModel,
} from '../../../generated/prisma/models.js';
import {
  startDeliveryWorker,
  type DeliveryWorkerOptions,
} from '../../../server/webhooks/deliveries/worker.js';
import type { LeaseLoop } from '../../../server/postgres/lease-loop.js';
import { createSecrets } from '../../../server/installation/key-ring.js';
import { defaultLimits } from '../../../server/webhooks/deliveries/receivers.js';
import type { Database } from '../../../server/postgres/database.js';
import {
  claimDeliveries,
  type ClaimedDelivery,
  deliveryChannel,
  findDueReceivers,
} from '../../../server/webhooks/deliveries/queue.sql.js';
import { createTestDatabase, type OpenDatabase } from '../database/database.js';
import type { Certificate } from '../crypto/certificates.js';
import { eventually } from '../eventually.js';
import { insertEvent, type MadeEvent, type NewEvent } from '../database/events.js';
import { type FixtureOptions, useFixture } from './fixture.js';
import { type Behaviour, type Receiver, startReceiver } from '../servers/receiver.js';
import { insertAccount, insertAgent } from '../database/rows.js';

/** All test receivers share the loopback host, so the limit per host is raised. */
export const manyOnOneHost = { ...defaultLimits, perHost: 10_000 };

/** Claims due deliveries of every receiver, under one owner. */
export async function claimDue(
  database: Database,
  { owner = randomUUID() }: { owner?: string } = {},
): Promise<ClaimedDelivery[]> {
  const claimed: ClaimedDelivery[] = [];
  for (const { accountId, webhookId } of await findDueReceivers(database, null)) {
    const limits = new Map([[webhookId, 100]]);
    claimed.push(
      ...(await claimDeliveries(database, { accountId, limits, owner, leaseMs: 60_000 })),
    );
  }
  return claimed;
}

export interface DeliveryTest {
  databaseUrl: string;
  database: OpenDatabase;
  accountId: string;
  agentId: string;
  webhook: (url: string) => Promise<{ id: string; secret: string }>;
  /** Commits an event with a delivery to each of the webhooks. */
  send: (webhookIds: string[], event?: Partial<NewEvent>) => Promise<MadeEvent>;
  /** A receiver and a webhook that points to it. */
  receiving: (behave?: Behaviour, tls?: Certificate) => Promise<Receiving>;
  delivery: (eventId: string) => Promise<DeliveryModel>;
  /** Resolves to the delivery once it has had this many attempts. */
  tried: (eventId: string, attempts?: number) => Promise<DeliveryModel>;
  logOf: (requestId: string) => Promise<LogEntryModel[]>;
  webhookRow: (id: string) => Promise<WebhookModel>;
  /** Makes pending deliveries due now. */
  passPauses: () => Promise<void>;
  worker: (tuning?: Partial<DeliveryWorkerOptions>) => Promise<LeaseLoop>;
  /** What the workers reported. */
  problems: unknown[];
  stop: () => Promise<void>;
}

export interface Receiving {
  receiver: Receiver;
  webhook: { id: string; secret: string };
}

export interface DeliveryTestOptions extends FixtureOptions {
  /** Starts a worker with these options before the first test. */
  worker?: Partial<DeliveryWorkerOptions>;
  /** Whether workers may report problems; by default a reported problem fails the file. */
  expectsProblems?: boolean;
}

/** A delivery fixture for the tests of the file. */
export function useDeliveryTest(options: DeliveryTestOptions = {}): DeliveryTest {
  return useFixture(
    async () => {
      const deliveries = await startDeliveryTest();
      if (options.worker) await deliveries.worker(options.worker);
      return deliveries;
    },
    async ({ stop, problems }) => {
      await stop();
      if (!options.expectsProblems) expect(problems.map((problem) => inspect(problem))).toEqual([]);
    },
    options,
  );
}

export async function startDeliveryTest({
  secretsKey = randomBytes(32),
} = {}): Promise<DeliveryTest> {
  const testDatabase = await createTestDatabase();
  const { url: databaseUrl, database } = testDatabase;
  const { prisma } = database;
  const accountId = await insertAccount(database);
  const agentId = await insertAgent(database, accountId);
  const secrets = createSecrets(secretsKey);
  const workers: LeaseLoop[] = [];
  const receivers: Receiver[] = [];
  const problems: unknown[] = [];

  const webhook: DeliveryTest['webhook'] = async (target) => {
    const { record, secret } = await createWebhook(database, secrets, {
      accountId,
      agentId: null,
      url: target,
      events: ['agent.completed', 'agent.failed'],
      createdBy: null,
    });
    return { id: record.id, secret };
  };
  const delivery: DeliveryTest['delivery'] = (eventId) =>
    prisma.delivery.findFirstOrThrow({ where: { eventId } });

  return {
    databaseUrl,
    database,
    accountId,
    agentId,
    problems,
    webhook,
    receiving: async (behave, tls) => {
      const receiver = await startReceiver(behave, tls);
      receivers.push(receiver);
      return { receiver, webhook: await webhook(receiver.url) };
    },
    send: (webhookIds, event = {}) =>
      insertEvent(database, { accountId, agentId, webhookIds, ...event }),
    delivery,
    tried: (eventId, attempts = 1) =>
      eventually(async () => {
        const found = await delivery(eventId);
        if (found.attempts !== attempts) throw new Error(`${found.attempts} attempts so far`);
        return found;
      }),
    logOf: (requestId) =>
      prisma.logEntry.findMany({ where: { requestId }, orderBy: { id: 'asc' } }),
    webhookRow: (id) => prisma.webhook.findUniqueOrThrow({ where: { id } }),
    passPauses: async () => {
      await prisma.$executeRaw`
        UPDATE deliveries SET next_attempt_at = now() WHERE status = 'pending' AND lease_owner IS NULL`;
      await prisma.$executeRawUnsafe(`SELECT pg_notify('${deliveryChannel}', '')`);
    },
    worker: async (tuning = {}) => {
      const worker = await startDeliveryWorker({
        database,
        direct: { url: databaseUrl },
        secrets,
        targets: { allowPrivate: true },
        onError: (error) => problems.push(error),
        limits: manyOnOneHost,
        ...tuning,
      });
      workers.push(worker);
      return worker;
    },
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop(0)));
      await Promise.all(receivers.map((receiver) => receiver.close()));
      await testDatabase.close();
    },
  };
}

/** Commits events for the delivery benchmark, and measures when they arrive. */
import { setTimeout as delay } from 'node:timers/promises';
import { createWebhook } from '../../../server/domain/webhooks.js';
import type { Secrets } from '../../../server/lib/secrets.js';
import { newId } from '../../../server/lib/typeid.js';
import type { Database } from '../../../server/store/database.js';
import { deliveryChannel } from '../../../server/store/deliveries.js';
import { newTenant } from '../lib/tenant.js';

/** In milliseconds on the system's monotonic clock. */
export interface DeliveryTiming {
  /** Just before the commit. */
  committedAt: number;
  /** When the first byte arrived. */
  arrivedAt: number;
}

export interface DeliveryLoad {
  /** Creates a webhook and returns its id. */
  register: (url: string) => Promise<string>;
  /** Commits one event for each of the webhooks, in one transaction. */
  commit: (webhookIds: string[]) => Promise<CommittedEvents>;
  /** Waits until all of the events have arrived. */
  waitForArrival: (events: CommittedEvents) => Promise<DeliveryTiming[]>;
  /** Deletes the deliveries to these webhooks. */
  discard: (webhookIds: string[]) => Promise<void>;
}

/** `committedAt`, by event id. */
export type CommittedEvents = Map<string, number>;

const insertEvents = {
  name: 'bench_events',
  text: `
    WITH input AS (SELECT * FROM unnest($3::text[], $4::text[], $5::bytea[]) AS i (id, webhook_id, body)),
    event AS (
      INSERT INTO events (id, account_id, agent_id, request_id, type, body)
      SELECT id, $1, $2, id, 'agent.completed', body FROM input
    ),
    delivery AS (INSERT INTO deliveries (account_id, event_id, webhook_id) SELECT $1, id, webhook_id FROM input)
    SELECT pg_notify('${deliveryChannel}', '')`,
};

export async function prepareLoad(
  database: Database,
  secrets: Secrets,
  arrivals: ReadonlyMap<string, number>,
): Promise<DeliveryLoad> {
  const { prisma } = database;
  const { accountId, agentId } = await newTenant(database, secrets);

  return {
    register: async (url) => {
      const { record } = await createWebhook(database, secrets, {
        accountId,
        agentId: null,
        url,
        events: ['agent.completed'],
      });
      return record.id;
    },

    commit: async (webhookIds) => {
      const ids = webhookIds.map(() => newId('evt'));
      const bodies = ids.map((id) => Buffer.from(JSON.stringify({ id, data: 'x'.repeat(500) })));
      const committedAt = Number(process.hrtime.bigint()) / 1e6;
      await database.run(insertEvents, [accountId, agentId, ids, webhookIds, bodies]);
      return new Map(ids.map((id) => [id, committedAt]));
    },

    waitForArrival: async (events) => {
      while (![...events.keys()].every((id) => arrivals.has(id))) await delay(20);
      return [...events].map(([id, committedAt]) => ({
        committedAt,
        arrivedAt: arrivals.get(id) ?? NaN,
      }));
    },

    discard: async (webhookIds) => {
      await prisma.delivery.deleteMany({ where: { webhookId: { in: webhookIds } } });
      await prisma.webhook.updateMany({ data: { failingSince: null } });
    },
  };
}

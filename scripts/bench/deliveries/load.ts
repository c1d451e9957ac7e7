/** Commits events for the delivery benchmark, and waits for their arrival. */
import { setTimeout as delay } from 'node:timers/promises';
import { createAccount } from '../../../server/domain/accounts.js';
import { createWebhook } from '../../../server/domain/webhooks.js';
import type { Secrets } from '../../../server/lib/crypto.js';
import { newId } from '../../../server/lib/typeid.js';
import { insertAgent } from '../../../server/store/agent-drafts.js';
import type { Database } from '../../../server/store/database.js';
import { deliveryChannel } from '../../../server/store/deliveries.js';

/** When an event was committed, at the latest, and when its first byte arrived; both in ms on the same clock. */
export interface Journey {
  committedAt: number;
  arrivedAt: number;
}

export interface DeliveryLoad {
  register: (url: string) => Promise<string>;
  /** Commits one event for each of the webhooks together. */
  commit: (webhookIds: string[]) => Promise<Committed>;
  /** Waits until all of them have arrived. */
  journeys: (committed: Committed) => Promise<Journey[]>;
  /** Drops what these webhooks have not received yet. */
  giveUp: (webhookIds: string[]) => Promise<void>;
}

/** The moment before the commit, by event. */
export type Committed = Map<string, number>;

const insert = {
  name: 'bench_events',
  text: `
    WITH input AS (SELECT * FROM unnest($3::text[], $4::text[], $5::bytea[]) AS i (id, webhook_id, body)),
    event AS (
      INSERT INTO events (id, account_id, agent_id, request_id, type, body)
      SELECT id, $1, $2, id, 'agent.completed', body FROM input
    ),
    delivery AS (INSERT INTO deliveries (event_id, webhook_id) SELECT id, webhook_id FROM input)
    SELECT pg_notify('${deliveryChannel}', '')`,
};

export async function prepareLoad(
  database: Database,
  secrets: Secrets,
  arrivals: ReadonlyMap<string, number>,
): Promise<DeliveryLoad> {
  const { prisma } = database;
  const { id: accountId } = await createAccount(database, { name: 'bench', tier: 'enterprise' });
  const agentId = newId('agent');
  await insertAgent(database, { id: agentId, accountId, name: 'bench', model: 'builtin/echo' });

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
      await database.run(insert, [accountId, agentId, ids, webhookIds, bodies]);
      return new Map(ids.map((id) => [id, committedAt]));
    },

    journeys: async (committed) => {
      while (![...committed.keys()].every((id) => arrivals.has(id))) await delay(20);
      return [...committed].map(([id, committedAt]) => ({
        committedAt,
        arrivedAt: arrivals.get(id) ?? NaN,
      }));
    },

    giveUp: async (webhookIds) => {
      await prisma.delivery.deleteMany({ where: { webhookId: { in: webhookIds } } });
      await prisma.webhook.updateMany({ data: { failingSince: null } });
    },
  };
}

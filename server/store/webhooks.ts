/** The webhooks of the database. Every query names the account, so that no other account's webhook is ever found. */
import type { EventType } from '../../generated/api.js';
import type { Transaction } from './database.js';
import { sortOf } from './sorting.js';
import type { Sql, Statement } from './sql.js';

export interface NewWebhook {
  id: string;
  accountId: string;
  agentId: string | null;
  url: string;
  events: EventType[];
  sealedSecret: Uint8Array<ArrayBuffer>;
}

export interface StoredWebhook {
  id: string;
  agentId: string | null;
  url: string;
  events: EventType[];
  status: 'enabled' | 'disabled';
  createdAt: Date;
  lastDelivery: LastDelivery | null;
}

export interface LastDelivery {
  status: 'pending' | 'succeeded' | 'failed';
  attempts: number;
  at: Date;
}

/** When it was made. */
export async function insertWebhook(transaction: Transaction, webhook: NewWebhook): Promise<Date> {
  const { createdAt } = await transaction.webhook.create({
    data: webhook,
    select: { createdAt: true },
  });
  return createdAt;
}

export interface WebhookQuery {
  accountId: string;
  agentId: string | undefined;
  event: EventType | undefined;
  sort: 'created_at' | '-created_at';
  limit: number;
  offset: number;
}

const matches = `account_id = $1 AND ($2::text IS NULL OR agent_id = $2) AND ($3::text IS NULL OR $3 = ANY (events))`;

const count: Statement = {
  name: 'webhooks_count',
  text: `SELECT count(*)::int AS total FROM webhooks WHERE ${matches}`,
};

const pages = { asc: page('asc'), desc: page('desc') };

function page(direction: 'asc' | 'desc'): Statement {
  return {
    name: `webhooks_page_${direction}`,
    text: `
      SELECT w.id, w.agent_id AS "agentId", w.url, w.events, w.status, w.created_at AS "createdAt",
             last.status AS "lastStatus", last.attempts AS "lastAttempts", last.last_attempt_at AS "lastAt"
      FROM (
        SELECT * FROM webhooks WHERE ${matches}
        ORDER BY created_at ${direction}, id ${direction} LIMIT $4 OFFSET $5
      ) w
      LEFT JOIN LATERAL (
        SELECT status, attempts, last_attempt_at FROM deliveries
        WHERE webhook_id = w.id AND last_attempt_at IS NOT NULL
        ORDER BY last_attempt_at DESC LIMIT 1
      ) last ON true
      ORDER BY w.created_at ${direction}, w.id ${direction}`,
  };
}

interface WebhookRow extends Omit<StoredWebhook, 'lastDelivery'> {
  lastStatus: LastDelivery['status'] | null;
  lastAttempts: number | null;
  lastAt: Date | null;
}

export async function listWebhooks(
  sql: Sql,
  { accountId, agentId, event, sort, limit, offset }: WebhookQuery,
): Promise<{ items: StoredWebhook[]; total: number }> {
  const filter = [accountId, agentId ?? null, event ?? null];
  const [rows, totals] = await Promise.all([
    sql.run<WebhookRow>(pages[sortOf(sort).direction], [...filter, limit, offset]),
    sql.run<{ total: number }>(count, filter),
  ]);
  return { items: rows.map(stored), total: totals[0]?.total ?? 0 };
}

function stored({ lastStatus, lastAttempts, lastAt, ...webhook }: WebhookRow): StoredWebhook {
  const wasTried = lastStatus !== null && lastAttempts !== null && lastAt !== null;
  return {
    ...webhook,
    lastDelivery: wasTried ? { status: lastStatus, attempts: lastAttempts, at: lastAt } : null,
  };
}

export interface WebhookTarget {
  accountId: string;
  id: string;
  /** Only a webhook of this agent. */
  agentId: string | undefined;
}

/** Whether there was such a webhook. Its deliveries go with it, by the foreign key. */
export async function deleteWebhook(
  transaction: Transaction,
  { accountId, id, agentId }: WebhookTarget,
): Promise<boolean> {
  const { count: deleted } = await transaction.webhook.deleteMany({
    where: { id, accountId, ...(agentId === undefined ? {} : { agentId }) },
  });
  return deleted === 1;
}

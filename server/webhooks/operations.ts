/** The operations on webhooks. */
import type { Webhook, WebhookDelivery } from '../../generated/api.js';
import * as webhooks from './webhooks.js';
import type { StoredWebhook } from './webhooks.js';
import type { OperationContext } from '../accounts/operation-context.js';
import type { Operations } from '../contract/operations.js';
import { created, list, ok, paging } from '../contract/response.js';
import type { Database } from '../postgres/database.js';
import type { Secrets } from '../installation/key-ring.js';
import type { TargetPolicy } from '../lib/net/target-address.js';

interface WebhookParts {
  database: Database;
  secrets: Secrets;
  /** The addresses that webhooks may have. */
  targets: TargetPolicy;
}

export function webhookOperations({ database, secrets, targets }: WebhookParts) {
  return {
    createWebhook: async ({ body }, { caller, commit }) => {
      const input = await webhooks.authorizeWebhook(database, targets, caller, body);
      return commit(async (transaction) => {
        await webhooks.assertWebhookLimit(transaction, caller);
        const { record, secret } = await webhooks.createWebhook(transaction, secrets, input);
        return created({ ...present(record), last_delivery: null, secret });
      });
    },

    listWebhooks: async ({ query }, { caller, hiddenAgents }) => {
      const { agent_id, event, ...page } = query;
      const found = await webhooks.listWebhooks(database, caller, {
        ...paging(page),
        event,
        agent: agent_id,
        hiddenAgents,
      });
      return list(query, found, present);
    },

    deleteWebhook: async ({ path }, { caller }) => {
      await webhooks.deleteWebhook(database, caller, path.webhook_id);
      return ok({ id: path.webhook_id, deleted: true });
    },
  } satisfies Partial<Operations<OperationContext>>;
}

function present({ lastDelivery, ...webhook }: StoredWebhook): Webhook {
  return {
    id: webhook.id,
    agent_id: webhook.agentId,
    url: webhook.url,
    events: webhook.events,
    status: webhook.status,
    created_at: webhook.createdAt.toISOString(),
    created_by: webhook.createdBy,
    last_delivery: lastDelivery && presentDelivery(lastDelivery),
  };
}

function presentDelivery({
  status,
  attempts,
  at,
  responseCode,
  error,
  nextAttemptAt,
}: NonNullable<StoredWebhook['lastDelivery']>): WebhookDelivery {
  return {
    status,
    attempts,
    at: at.toISOString(),
    response_code: responseCode,
    error,
    next_attempt_at: nextAttemptAt?.toISOString() ?? null,
  };
}

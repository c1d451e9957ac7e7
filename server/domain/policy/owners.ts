/** Finds the agent that a key or a webhook belongs to, whose settings apply to requests about them. */
import type { Database } from '../../store/postgres/database.js';
import { findKey } from '../../store/keys/keys.js';
import { findWebhookAgent } from '../../store/webhooks/webhooks.js';

export interface AgentOwners {
  /** By the parameters of a path; undefined if they lead to neither, or it belongs to no agent. */
  ownerOf: (accountId: string, parameters: Parameters) => Promise<string | undefined>;
}

/** By the names that the contract gives them. */
interface Parameters {
  key_id?: string;
  webhook_id?: string;
}

export function createAgentOwners(database: Database): AgentOwners {
  return {
    ownerOf: async (accountId, { key_id: keyId, webhook_id: webhookId }) => {
      if (webhookId !== undefined) return findWebhookAgent(database, { accountId, id: webhookId });
      if (keyId === undefined) return undefined;
      return (await findKey(database, { accountId, id: keyId }))?.agentId ?? undefined;
    },
  };
}

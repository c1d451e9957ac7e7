/** Finds the agent that a key or webhook belongs to, whose security settings apply to requests about it. */
import type { Database } from '../../postgres/database.js';
import { findKey } from '../../keys/keys.js';
import { findWebhookAgent } from '../../webhooks/webhooks.js';

export interface AgentOwners {
  /** Undefined if the path names no key or webhook, or one that belongs to no agent. */
  ownerOf: (accountId: string, parameters: Parameters) => Promise<string | undefined>;
}

/** Path parameters, by their names in the contract. */
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

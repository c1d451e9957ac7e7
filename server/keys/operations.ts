/** The operations on API keys. */
import type { ApiKey } from '../../generated/api.js';
import * as keys from './keys.js';
import type { OperationContext } from '../accounts/operation-context.js';
import type { Operations } from '../contract/operations.js';
import { created, list, ok, paging } from '../contract/response.js';
import type { Database } from '../postgres/database.js';
import type { Secrets } from '../installation/key-ring.js';

interface KeyParts {
  database: Database;
  secrets: Secrets;
  /** Drops what this instance caches of the key, so that a change takes effect before it is answered. */
  invalidate: (id: string) => void;
}

export function keyOperations({ database, secrets, invalidate }: KeyParts) {
  return {
    createApiKey: async ({ body }, { caller, commit }) => {
      const input = await keys.authorizeKey(database, caller, body);
      return commit(async (transaction) => {
        await keys.assertKeyLimit(transaction, caller);
        if (body.replaces) await keys.expireReplacedKey(transaction, caller, body.replaces);
        const { record, key } = await keys.issueKey(transaction, secrets, input);
        return created({ ...presentKey(record), last_used_at: null, key });
      });
    },

    listApiKeys: async ({ query }, { caller, hiddenAgents }) => {
      const { agent_id, ...page } = query;
      const found = await keys.listKeys(database, caller, {
        ...paging(page),
        agent: agent_id,
        hiddenAgents,
      });
      return list(query, found, presentKey);
    },

    revokeApiKey: async ({ path: { key_id: id } }, { caller: { accountId, agentId } }) => {
      const isRevoked = await database.transaction((transaction) =>
        keys.revokeKey(transaction, { accountId, agentId, id }),
      );
      if (!isRevoked) throw keys.keyNotFound(id);
      invalidate(id);
      return ok({ id, revoked: true });
    },
  } satisfies Partial<Operations<OperationContext>>;
}

export function presentKey(key: keys.StoredKey): ApiKey {
  return {
    id: key.id,
    agent_id: key.agentId,
    name: key.name,
    permissions: key.permissions,
    preview: key.preview,
    created_at: key.createdAt.toISOString(),
    created_by: key.createdBy,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
  };
}

/** What to revoke and delete once a key has leaked: the key, and the keys and webhooks that were created with it. */
import { currentDate } from '../lib/time/clock.js';
import type { Secrets } from '../installation/key-ring.js';
import { findCreatedKeys, findRevocableKey, revokeKey, type RevocableKey } from '../keys/keys.js';
import type { Connection, Database } from '../postgres/database.js';
import { type CreatedWebhook, findCreatedWebhooks, removeWebhook } from '../webhooks/webhooks.js';

export function findLeakedKey(
  connection: Connection,
  secrets: Secrets,
  key: string,
): Promise<RevocableKey | undefined> {
  return findRevocableKey(connection, { keyHash: secrets.hashApiKey(key) });
}

export interface Created {
  /** Those that are not revoked. */
  keys: RevocableKey[];
  webhooks: CreatedWebhook[];
}

/** Looks behind revoked keys too: what they created is still there. */
export async function findCreated(connection: Connection, key: RevocableKey): Promise<Created> {
  const keys = await findCreatedKeys(connection, key);
  const creators = [key, ...keys].map(({ id }) => id);
  return {
    keys: keys.filter(({ revokedAt }) => revokedAt === null),
    webhooks: await findCreatedWebhooks(connection, key.accountId, creators),
  };
}

/** Revokes the key and, if wanted, revokes and deletes what was created with it: all of it or nothing. Returns what that was. */
export function revokeLeakedKey(
  database: Database,
  key: RevocableKey,
  { withCreated }: { withCreated: boolean },
): Promise<Created> {
  const { accountId } = key;
  return database.transaction(async (transaction) => {
    const created = withCreated ? await findCreated(transaction, key) : { keys: [], webhooks: [] };
    const at = currentDate();
    for (const { id } of [key, ...created.keys]) {
      await revokeKey(transaction, { accountId, id }, at);
    }
    for (const { id } of created.webhooks) {
      await removeWebhook(transaction, { accountId, id, agentId: undefined });
    }
    return created;
  });
}

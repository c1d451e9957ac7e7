/** On a fresh installation makes what a person needs for a first request: an account, a key and a demo agent. */
import { createAccount } from '../domain/accounts.js';
import { issueKey } from '../domain/keys/keys.js';
import type { Secrets } from '../lib/crypto.js';
import { everyPermission } from '../lib/permissions.js';
import { newId } from '../lib/typeid.js';
import { insertAgent } from '../store/agent-drafts.js';
import type { Database } from '../store/database.js';
import { claimFirstStart } from '../store/first-start.js';

export interface FirstKey {
  key: string;
  agentName: string;
}

const agentName = 'echo';

/** Undefined if this was done before. Of several instances that start at once, one does it. */
export async function setUpOnce(
  database: Database,
  secrets: Secrets,
): Promise<FirstKey | undefined> {
  return database.transaction(async (transaction) => {
    if (!(await claimFirstStart(transaction))) return undefined;
    const { id: accountId } = await createAccount(transaction, {
      name: 'default',
      tier: 'enterprise',
    });
    await insertAgent(transaction, {
      id: newId('agent'),
      accountId,
      name: agentName,
      model: 'builtin/echo',
    });
    const { key } = await issueKey(transaction, secrets, {
      accountId,
      agentId: null,
      name: 'First key',
      permissions: [...everyPermission],
      expiresAt: null,
    });
    return { key, agentName };
  });
}

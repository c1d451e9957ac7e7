/** Sets up a new installation with what a first request needs: an account, an API key and a demo agent. */
import { createAccount } from '../domain/accounts.js';
import { issueKey } from '../domain/keys/keys.js';
import type { Secrets } from '../lib/secrets.js';
import { everyPermission } from '../lib/permissions.js';
import { newId } from '../lib/typeid.js';
import { echoModel } from '../runtime/providers/echo.js';
import { insertAgent } from '../store/agent-drafts.js';
import type { Database } from '../store/database.js';
import { claimFirstStart } from '../store/first-start.js';

export interface FirstKey {
  key: string;
  agentName: string;
}

const agentName = 'echo';

/** Undefined if the installation is already set up. Of several instances that start together, one does it. */
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
      model: echoModel,
    });
    const { key } = await issueKey(transaction, secrets, {
      accountId,
      agentId: null,
      name: 'First key',
      permissions: [...everyPermission],
      createdBy: null,
      expiresAt: null,
    });
    return { key, agentName };
  });
}

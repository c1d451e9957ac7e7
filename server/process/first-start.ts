/** Sets up a new installation for its first request: an account, an API key and a demo agent. */
import { accountArguments, createAccount } from '../accounts/accounts.js';
import { issueKey } from '../keys/keys.js';
import { SealError } from '../lib/crypto/sealing.js';
import { retryInBackground } from '../lib/async/retry-in-background.js';
import { everyPermission } from '../contract/permissions.js';
import { sealContexts } from '../installation/seal-contexts.js';
import type { Secrets } from '../installation/key-ring.js';
import { newId } from '../lib/data/typeid.js';
import { echoModel } from '../models/providers/echo.js';
import { insertAgent } from '../agents/drafts.js';
import type { Database } from '../postgres/database.js';
import {
  claimFirstStart,
  findUnshownKey,
  deleteUnshownKey,
  isSetUp,
  storeUnshownKey,
} from '../installation/first-start.js';

export interface FirstKey {
  key: string;
  agentName: string;
  /** Until this is called, every start shows the key again, because a process may die before showing it. Never rejects. */
  confirmShown: () => Promise<void>;
}

const agentName = 'echo';
const maxConfirmations = 60;

export interface Setup {
  /** Undefined if the installation was already set up and its key was shown. */
  firstKey: FirstKey | undefined;
  /** What a suggested command of the operator needs to name an account. */
  accountArguments: readonly string[];
}

/**
 * If several instances start together, one of them sets the installation up; another may show the key too, if it starts before the
 * key was shown.
 */
export async function setUpInstallation(database: Database, secrets: Secrets): Promise<Setup> {
  const key = (await setUp(database, secrets)) ?? (await unshownKey(database, secrets));
  const firstKey = key === undefined ? undefined : shownOnce(database, key);
  return { firstKey, accountArguments: await accountArguments(database) };
}

function shownOnce(database: Database, key: string): FirstKey {
  return {
    key,
    agentName,
    confirmShown: () =>
      retryInBackground(() => deleteUnshownKey(database), { maxAttempts: maxConfirmations }),
  };
}

async function setUp(database: Database, secrets: Secrets): Promise<string | undefined> {
  if (await isSetUp(database)) return undefined;
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
    await storeUnshownKey(transaction, secrets.seal(key, sealContexts.firstKey));
    return key;
  });
}

async function unshownKey(database: Database, secrets: Secrets): Promise<string | undefined> {
  const sealed = await findUnshownKey(database);
  try {
    return sealed && secrets.open(sealed, sealContexts.firstKey).toString();
  } catch (error) {
    // SECRETS_KEY was rotated since. `operator keys create` creates another key.
    if (error instanceof SealError) return undefined;
    throw error;
  }
}

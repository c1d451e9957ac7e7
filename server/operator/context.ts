/** The context that every command of the operator receives. */
import type { Config } from '../config/config.js';
import type { Caller } from '../domain/caller.js';
import { getAccount, type StoredAccount } from '../domain/accounts.js';
import type { KeyRing } from '../lib/secrets.js';
import { everyPermission } from '../lib/permissions.js';
import { limitsOf } from '../lib/tiers.js';
import type { Database } from '../store/database.js';
import type { CommandOutput } from './output.js';

export interface OperatorContext {
  config: Config;
  database: Database;
  secrets: KeyRing;
  output: CommandOutput;
  /** The account of --account, or the first one. */
  account: () => Promise<StoredAccount>;
  /** The operator, as a caller with every permission in that account. */
  caller: () => Promise<Caller>;
}

/** Runs a command with its context, and closes the context afterwards. */
export type Run = (command: (context: OperatorContext) => Promise<void>) => Promise<void>;

export function accountContext(
  database: Database,
  accountName: string | undefined,
): Pick<OperatorContext, 'account' | 'caller'> {
  const account = () => getAccount(database, accountName);
  return {
    account,
    caller: async () => {
      const { id, tier, caps } = await account();
      return {
        id: 'operator',
        keyId: null,
        userId: null,
        accountId: id,
        limits: limitsOf(tier, caps),
        permissions: new Set(everyPermission),
        expiresAt: null,
        agentId: null,
      };
    },
  };
}

/** What every command of the operator works with. */
import type { Config } from '../config/config.js';
import type { Caller } from '../domain/caller.js';
import { getAccount, type StoredAccount } from '../domain/accounts.js';
import type { Secrets } from '../lib/crypto.js';
import { everyPermission } from '../lib/permissions.js';
import type { ModelRegistry } from '../runtime/registry.js';
import type { Database } from '../store/database.js';
import type { CommandOutput } from './output.js';

export interface OperatorContext {
  config: Config;
  database: Database;
  secrets: Secrets;
  models: ModelRegistry;
  output: CommandOutput;
  /** The account that the command is about: the one named with --account, or the first. */
  account: () => Promise<StoredAccount>;
  /** The operator, as a caller who may do everything in that account. */
  caller: () => Promise<Caller>;
}

/** Gives a command what it works with, and takes it away again afterwards. */
export type Run = (command: (context: OperatorContext) => Promise<void>) => Promise<void>;

export function accountContext(
  database: Database,
  accountName: string | undefined,
): Pick<OperatorContext, 'account' | 'caller'> {
  const account = () => getAccount(database, accountName);
  return {
    account,
    caller: async () => {
      const { id, tier } = await account();
      return {
        id: 'operator',
        keyId: null,
        accountId: id,
        tier,
        permissions: new Set(everyPermission),
        agentId: null,
      };
    },
  };
}

/** The context that the operator's commands receive. */
import type { Postgres } from '../process/storage.js';
import type { Config } from '../config/config.js';
import type { Caller } from '../domain/caller.js';
import { getAccount, type StoredAccount } from '../domain/accounts.js';
import type { KeyRing } from '../store/installation/key-ring.js';
import { everyPermission } from '../contract/permissions.js';
import { limitsOf } from '../store/accounts/tiers.js';
import type { Database } from '../store/postgres/database.js';
import type { CommandOutput } from './output.js';

export interface OperatorContext {
  config: Config;
  database: Database;
  secrets: KeyRing;
  output: CommandOutput;
  /** The account named by --account, or else the first one. */
  account: () => Promise<StoredAccount>;
  /** The operator, as a caller with every permission in that account. */
  caller: () => Promise<Caller>;
}

/** Runs a command with its context, and closes the context afterwards. */
export type Run = (command: (context: OperatorContext) => Promise<void>) => Promise<void>;

/** For commands that must run before the database is opened: it may need a migration, be empty or not exist. */
export interface Installation {
  config: () => Config;
  /** Does not require SECRETS_KEY. */
  databaseConfig: () => PostgresConfig;
  /** SECRETS_KEY, followed by the keys it replaces; undefined if there is none yet. */
  databaseKeys: (config: Config) => Promise<Buffer[] | undefined>;
  openPostgres: OpenPostgres;
  /** For a restore: creates the embedded database if DATA_DIR has none. */
  openNewPostgres: OpenPostgres;
  output: CommandOutput;
  /** For a command whose standard output is the data itself. */
  outputToStderr: CommandOutput;
}

type PostgresConfig = Pick<Config, 'database' | 'dataDir'>;
type OpenPostgres = (config: PostgresConfig) => Promise<Pick<Postgres, 'direct' | 'stop'>>;

export type RunWithoutDatabase = (
  command: (installation: Installation) => Promise<void>,
) => Promise<void>;

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

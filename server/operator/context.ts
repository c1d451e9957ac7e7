/** The context that the operator's commands receive. */
import type { Postgres } from '../process/storage.js';
import type { Config } from '../config/config.js';
import type { Caller } from '../accounts/caller.js';
import { accountToChange, accountToRead, type StoredAccount } from '../accounts/accounts.js';
import type { KeyRing } from '../installation/key-ring.js';
import { everyPermission } from '../contract/permissions.js';
import { limitsOf } from '../accounts/tiers.js';
import type { Database } from '../postgres/database.js';
import type { CommandOutput } from './output.js';

export interface OperatorContext {
  config: Config;
  database: Database;
  secrets: KeyRing;
  output: CommandOutput;
  /** The account named by --account, or else the only one. For commands that change something, which must not guess it. */
  account: () => Promise<StoredAccount>;
  /** The operator, as a caller with every permission in that account. */
  caller: () => Promise<Caller>;
  /** The account named by --account, or else the first one; a note says so if there are others. */
  accountToRead: () => Promise<StoredAccount>;
  /** The operator in that account, for commands that only read. */
  reader: () => Promise<Caller>;
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
  note: (text: string) => void,
): Pick<OperatorContext, 'account' | 'caller' | 'accountToRead' | 'reader'> {
  const account = () => accountToChange(database, accountName);
  let read: Promise<StoredAccount> | undefined;
  const findAccountToRead = async () => {
    const { account: found, isGuess } = await accountToRead(database, accountName);
    if (isGuess)
      note(`Account '${found.name}', which is the first. Choose another with --account.`);
    return found;
  };
  const oneToRead = () => (read ??= findAccountToRead());
  return {
    account,
    caller: async () => operatorIn(await account()),
    accountToRead: oneToRead,
    reader: async () => operatorIn(await oneToRead()),
  };
}

function operatorIn({ id, tier, caps }: StoredAccount): Caller {
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
}

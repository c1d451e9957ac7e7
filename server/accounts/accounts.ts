/** The rules for accounts, which only the operator manages. */
import type { Budget } from '../../generated/manifest.js';
import { commandLine } from '../contract/command-line.js';
import { newId } from '../lib/data/typeid.js';
import type { CapName, Tier } from './tiers.js';
import * as store from './account-rows.js';
import type { Connection, Database } from '../postgres/database.js';
import { ServiceError } from '../contract/errors.js';
import { budgetWindowProblem } from './budgets.js';

const namePattern = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$/;

export async function createAccount(
  connection: Connection,
  { name, tier }: { name: string; tier: Tier },
): Promise<store.StoredAccount> {
  if (!namePattern.test(name)) {
    throw new ServiceError(
      'invalid_request',
      `'${name}' is not a valid account name: use up to 63 letters, digits, spaces, dots, underscores or hyphens, beginning with a letter or digit.`,
    );
  }
  const inserted = await store.insertAccount(connection, { id: newId('acct'), name, tier });
  if (!inserted) throw new ServiceError('conflict', `An account named '${name}' already exists.`);
  return getAccount(connection, name);
}

async function getAccount(connection: Connection, name: string): Promise<store.StoredAccount> {
  const account = await store.findAccount(connection, { name });
  if (account) return account;
  throw new ServiceError(
    'not_found',
    `There is no account '${name}'. See: ${commandLine('accounts', 'list')}`,
  );
}

const namesInMessage = 10;

/** Without a name, the only account. If there are several, the name is required: names of agents are unique in an account only. */
export async function accountToChange(
  connection: Connection,
  name: string | undefined,
): Promise<store.StoredAccount> {
  if (name !== undefined) return getAccount(connection, name);
  const accounts = await store.listAccounts(connection, namesInMessage + 1);
  if (accounts.length < 2) return firstOf(accounts);
  const names = accounts.slice(0, namesInMessage).map((account) => `'${account.name}'`);
  const list = [...names, ...(accounts.length > namesInMessage ? ['…'] : [])].join(', ');
  throw new ServiceError(
    'invalid_request',
    `There are several accounts: ${list}. Say which one to change, with --account NAME.`,
  );
}

/** Without a name, the first account; `isGuess` if there are others. */
export async function accountToRead(
  connection: Connection,
  name: string | undefined,
): Promise<{ account: store.StoredAccount; isGuess: boolean }> {
  if (name !== undefined) return { account: await getAccount(connection, name), isGuess: false };
  const accounts = await store.listAccounts(connection, 2);
  return { account: firstOf(accounts), isGuess: accounts.length > 1 };
}

/** For a suggested command: the arguments that name the account, by default the first one. Empty if it is the only one. */
export async function accountArguments(connection: Connection, id?: string): Promise<string[]> {
  const accounts = await store.listAccounts(connection, 2);
  if (accounts.length < 2) return [];
  const named = id === undefined ? accounts[0] : await store.findAccount(connection, { id });
  return named ? ['--account', named.name] : [];
}

function firstOf([first]: store.StoredAccount[]): store.StoredAccount {
  if (first) return first;
  throw new ServiceError(
    'not_found',
    `There is no account yet. Create one: ${commandLine('accounts', 'create', 'NAME')}`,
  );
}

export async function setTier(
  database: Database,
  name: string,
  tier: Tier,
): Promise<store.StoredAccount> {
  return change(database, await getAccount(database, name), { tier });
}

/** The ranges of caps that differ from `0` to `maxCap`. No requests at all would lock the account out without saying so. */
const ranges: Partial<Record<CapName, readonly [min: number, max: number]>> = {
  perMinute: [1, 1_000_000_000],
  // The maximum of X-RateLimit-Limit in the contract.
  burst: [1, 1_000_000],
  bytesPerDay: [0, 1_000_000_000_000_000],
};
const maxCap = 9_999_999;

/**
 * Overrides a cap of the tier, or removes the override if `value` is undefined. Null means unlimited. Resources that exceed a lower
 * cap are kept.
 */
export async function setCap(
  database: Database,
  name: string,
  cap: CapName,
  value: number | null | undefined,
): Promise<store.StoredAccount> {
  const [min, max] = ranges[cap] ?? [0, maxCap];
  if (typeof value === 'number' && (value < min || value > max)) {
    throw new ServiceError(
      'invalid_request',
      `${cap} must be from ${min} to ${max}, or unlimited.`,
    );
  }
  const account = await getAccount(database, name);
  const others = Object.entries(account.caps).filter(([other]) => other !== cap);
  const changed = value === undefined ? [] : [[cap, value] as const];
  return change(database, account, { caps: Object.fromEntries([...others, ...changed]) });
}

/** Null removes the budget. Tokens used in the current window still count unless the window length changes. */
export async function setBudget(
  database: Database,
  name: string,
  budget: Budget | null,
): Promise<store.StoredAccount> {
  const problem = budget && budgetWindowProblem(budget.window);
  if (problem) throw new ServiceError('invalid_request', `The budget window ${problem}.`);
  return change(database, await getAccount(database, name), { budget });
}

async function change(
  database: Database,
  { id, name }: store.StoredAccount,
  changes: store.AccountChanges,
): Promise<store.StoredAccount> {
  await database.transaction((transaction) => store.changeAccount(transaction, id, changes));
  return getAccount(database, name);
}

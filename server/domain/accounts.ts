/** The rules for accounts. Only the operator manages them; no operation of the contract does. */
import type { Budget } from '../../generated/manifest.js';
import { newId } from '../lib/data/typeid.js';
import type { CapName, Tier } from '../store/accounts/tiers.js';
import * as store from '../store/accounts/accounts.js';
import type { Connection, Database } from '../store/postgres/database.js';
import { ServiceError } from './errors.js';
import { budgetWindowProblem } from './invocations/budget.js';

export type { StoredAccount } from '../store/accounts/accounts.js';
export { listAccounts } from '../store/accounts/accounts.js';

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
  if (!inserted) throw new ServiceError('conflict', `There is an account named '${name}' already.`);
  return getAccount(connection, name);
}

/** The account with that name, or the first one if there is no name. */
export async function getAccount(
  connection: Connection,
  name: string | undefined,
): Promise<store.StoredAccount> {
  const account =
    name === undefined
      ? await store.firstAccount(connection)
      : await store.findAccount(connection, name);
  if (account) return account;
  throw new ServiceError(
    'not_found',
    name === undefined
      ? 'There is no account yet. Make one: operator accounts create NAME'
      : `There is no account '${name}'. See: operator accounts list`,
  );
}

export async function setTier(
  database: Database,
  name: string,
  tier: Tier,
): Promise<store.StoredAccount> {
  const { id } = await getAccount(database, name);
  await database.transaction((transaction) => store.setTier(transaction, id, tier));
  return getAccount(database, name);
}

/** Undefined: what the tier says. Takes effect as a new tier does; what exceeds a lower cap is kept. */
export async function setCap(
  database: Database,
  name: string,
  cap: CapName,
  value: number | undefined,
): Promise<store.StoredAccount> {
  const { id, caps } = await getAccount(database, name);
  const others = Object.entries(caps).filter(([other]) => other !== cap);
  const changed = value === undefined ? [] : [[cap, value] as const];
  await database.transaction((transaction) =>
    store.setCaps(transaction, id, Object.fromEntries([...others, ...changed])),
  );
  return getAccount(database, name);
}

/** Null: none. What was used in the present window still counts, unless the window is another one. */
export async function setBudget(
  database: Database,
  name: string,
  budget: Budget | null,
): Promise<store.StoredAccount> {
  const problem = budget && budgetWindowProblem(budget.window);
  if (problem) throw new ServiceError('invalid_request', `The window of a budget ${problem}.`);
  const { id } = await getAccount(database, name);
  await database.transaction((transaction) => store.setBudget(transaction, id, budget));
  return getAccount(database, name);
}

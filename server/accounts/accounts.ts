/** Accounts, which only the operator manages. */
import type { Budget } from '../../generated/manifest.js';
import { Prisma } from '../../generated/prisma/client.js';
import { commandLine } from '../contract/command-line.js';
import { ServiceError } from '../contract/errors.js';
import { newId } from '../lib/data/typeid.js';
import { currentDate } from '../lib/time/clock.js';
import { announceChanges } from '../postgres/changes.js';
import type { Connection, Database, Transaction } from '../postgres/database.js';
import { objectOf } from '../postgres/json.js';
import { budgetWindowProblem } from './budgets.js';
import {
  type AccountLimits,
  type CapName,
  capNames,
  type Caps,
  limitsOf,
  type Tier,
} from './tiers.js';

export interface StoredAccount {
  id: string;
  name: string;
  tier: Tier;
  caps: Caps;
  /** Null: invocations may use any number of tokens. */
  budget: Budget | null;
  createdAt: Date;
}

const accountFields = {
  id: true,
  name: true,
  tier: true,
  caps: true,
  budget: true,
  createdAt: true,
} as const;
type AccountRow = Prisma.AccountGetPayload<{ select: typeof accountFields }>;

const namePattern = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$/;

export async function createAccount(
  { prisma }: Connection,
  { name, tier }: { name: string; tier: Tier },
): Promise<StoredAccount> {
  if (!namePattern.test(name)) {
    throw new ServiceError(
      'invalid_request',
      `'${name}' is not a valid account name: use up to 63 letters, digits, spaces, dots, underscores or hyphens, beginning with a letter or digit.`,
    );
  }
  const createdAt = currentDate();
  // Read after the write, because Citus refuses the cast of an enum in RETURNING.
  const { count } = await prisma.account.createMany({
    data: { id: newId('acct'), name, tier, createdAt, updatedAt: createdAt },
    skipDuplicates: true,
  });
  if (count === 0) throw new ServiceError('conflict', `An account named '${name}' already exists.`);
  return toAccount(
    await prisma.account.findUniqueOrThrow({ where: { name }, select: accountFields }),
  );
}

/** The oldest ones; by default all. */
export async function listAccounts(
  { prisma }: Connection,
  limit?: number,
): Promise<StoredAccount[]> {
  const found = await prisma.account.findMany({
    select: accountFields,
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    ...(limit === undefined ? {} : { take: limit }),
  });
  return found.map(toAccount);
}

async function findAccount(
  { prisma }: Connection,
  where: { name: string } | { id: string },
): Promise<StoredAccount | null> {
  const found = await prisma.account.findUnique({ where, select: accountFields });
  return found && toAccount(found);
}

async function getAccount(connection: Connection, name: string): Promise<StoredAccount> {
  const account = await findAccount(connection, { name });
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
): Promise<StoredAccount> {
  if (name !== undefined) return getAccount(connection, name);
  const accounts = await listAccounts(connection, namesInMessage + 1);
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
): Promise<{ account: StoredAccount; isGuess: boolean }> {
  if (name !== undefined) return { account: await getAccount(connection, name), isGuess: false };
  const accounts = await listAccounts(connection, 2);
  return { account: firstOf(accounts), isGuess: accounts.length > 1 };
}

/** For a suggested command: the arguments that name the account, by default the first one. Empty if it is the only one. */
export async function accountArguments(connection: Connection, id?: string): Promise<string[]> {
  const accounts = await listAccounts(connection, 2);
  if (accounts.length < 2) return [];
  const named = id === undefined ? accounts[0] : await findAccount(connection, { id });
  return named ? ['--account', named.name] : [];
}

function firstOf([first]: StoredAccount[]): StoredAccount {
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
): Promise<StoredAccount> {
  const { id } = await getAccount(database, name);
  return database.transaction((transaction) => changeAccount(transaction, id, { tier }));
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
): Promise<StoredAccount> {
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
  const caps = Object.fromEntries([...others, ...changed]);
  return database.transaction((transaction) => changeAccount(transaction, account.id, { caps }));
}

/** Null removes the budget. Tokens used in the current window still count unless the window length changes. */
export async function setBudget(
  database: Database,
  name: string,
  budget: Budget | null,
): Promise<StoredAccount> {
  const problem = budget && budgetWindowProblem(budget.window);
  if (problem) throw new ServiceError('invalid_request', `The budget window ${problem}.`);
  const { id } = await getAccount(database, name);
  return database.transaction((transaction) => changeAccount(transaction, id, { budget }));
}

interface AccountChanges {
  tier?: Tier;
  caps?: Caps;
  /** Null removes it. */
  budget?: Budget | null;
}

/** Changes what is given, and nothing else. */
export async function changeAccount(
  transaction: Transaction,
  id: string,
  { caps, budget, ...changes }: AccountChanges,
): Promise<StoredAccount> {
  const data = {
    ...changes,
    ...(caps && { caps: Object.keys(caps).length === 0 ? Prisma.DbNull : caps }),
    ...(budget === undefined ? {} : { budget: budget ? { ...budget } : Prisma.DbNull }),
    updatedAt: currentDate(),
  };
  const { account } = transaction.prisma;
  await account.update({ where: { id }, data, select: { id: true } });
  await announceChanges(transaction, [id]);
  return toAccount(await account.findUniqueOrThrow({ where: { id }, select: accountFields }));
}

export function storedLimits({ tier, caps }: Pick<AccountRow, 'tier' | 'caps'>): AccountLimits {
  return limitsOf(tier, capsOf(caps));
}

function toAccount({ caps, budget, ...account }: AccountRow): StoredAccount {
  return { ...account, caps: capsOf(caps), budget: budget as Budget | null };
}

/** Keeps only known names with numbers or null, because another version may have written the column. */
function capsOf(column: Prisma.JsonValue): Caps {
  const values = new Map(Object.entries(objectOf(column) ?? {}));
  return Object.fromEntries(
    capNames.flatMap((name) => {
      const value: unknown = values.get(name);
      return typeof value === 'number' || value === null ? [[name, value]] : [];
    }),
  );
}

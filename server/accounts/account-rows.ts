/** Queries of accounts. */
import type { Budget } from '../../generated/manifest.js';
import { Prisma } from '../../generated/prisma/client.js';
import { type AccountLimits, capNames, type Caps, limitsOf, type Tier } from './tiers.js';
import { announceChanges } from '../postgres/changes.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import { objectOf } from '../postgres/json.js';
import { currentDate } from '../lib/time/clock.js';

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

const oldestFirst = [{ createdAt: 'asc' }, { id: 'asc' }] as const;

/** Returns false if the name is taken. */
export async function insertAccount(
  { prisma }: Connection,
  account: Pick<StoredAccount, 'id' | 'name' | 'tier'>,
): Promise<boolean> {
  const createdAt = currentDate();
  const data = { ...account, createdAt, updatedAt: createdAt };
  const { count } = await prisma.account.createMany({ data, skipDuplicates: true });
  return count === 1;
}

/** The oldest ones; by default all. */
export async function listAccounts(
  { prisma }: Connection,
  limit?: number,
): Promise<StoredAccount[]> {
  const found = await prisma.account.findMany({
    select: accountFields,
    orderBy: [...oldestFirst],
    ...(limit === undefined ? {} : { take: limit }),
  });
  return found.map(toAccount);
}

export async function findAccount(
  { prisma }: Connection,
  where: { name: string } | { id: string },
): Promise<StoredAccount | null> {
  const found = await prisma.account.findUnique({ where, select: accountFields });
  return found && toAccount(found);
}

export interface AccountChanges {
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
): Promise<void> {
  const data = {
    ...changes,
    ...(caps && { caps: Object.keys(caps).length === 0 ? Prisma.DbNull : caps }),
    ...(budget === undefined ? {} : { budget: budget ? { ...budget } : Prisma.DbNull }),
    updatedAt: currentDate(),
  };
  await transaction.prisma.account.update({ where: { id }, data, select: { id: true } });
  await announceChanges(transaction, [id]);
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

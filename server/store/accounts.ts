/** The accounts of the database. */
import type { Tier } from '../lib/tiers.js';
import type { Transaction } from './database.js';

export interface StoredAccount {
  id: string;
  name: string;
  tier: Tier;
  createdAt: Date;
}

const shown = { id: true, name: true, tier: true, createdAt: true } as const;
const oldestFirst = [{ createdAt: 'asc' }, { id: 'asc' }] as const;

/** Whether an account was made: false if the name is taken. */
export async function insertAccount(
  transaction: Transaction,
  account: Omit<StoredAccount, 'createdAt'>,
): Promise<boolean> {
  const { count } = await transaction.account.createMany({ data: account, skipDuplicates: true });
  return count === 1;
}

export function listAccounts(transaction: Transaction): Promise<StoredAccount[]> {
  return transaction.account.findMany({ select: shown, orderBy: [...oldestFirst] });
}

export function findAccount(transaction: Transaction, name: string): Promise<StoredAccount | null> {
  return transaction.account.findUnique({ where: { name }, select: shown });
}

export function firstAccount(transaction: Transaction): Promise<StoredAccount | null> {
  return transaction.account.findFirst({ select: shown, orderBy: [...oldestFirst] });
}

export async function setTier(transaction: Transaction, id: string, tier: Tier): Promise<void> {
  await transaction.account.update({ where: { id }, data: { tier } });
}

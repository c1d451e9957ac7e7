/** Queries of accounts. */
import type { Tier } from '../lib/tiers.js';
import type { Connection } from './connection.js';

export interface StoredAccount {
  id: string;
  name: string;
  tier: Tier;
  createdAt: Date;
}

const shown = { id: true, name: true, tier: true, createdAt: true } as const;
const oldestFirst = [{ createdAt: 'asc' }, { id: 'asc' }] as const;

/** Returns false if the name is taken. */
export async function insertAccount(
  { prisma }: Connection,
  account: Omit<StoredAccount, 'createdAt'>,
): Promise<boolean> {
  const { count } = await prisma.account.createMany({ data: account, skipDuplicates: true });
  return count === 1;
}

export function listAccounts({ prisma }: Connection): Promise<StoredAccount[]> {
  return prisma.account.findMany({ select: shown, orderBy: [...oldestFirst] });
}

export function findAccount({ prisma }: Connection, name: string): Promise<StoredAccount | null> {
  return prisma.account.findUnique({ where: { name }, select: shown });
}

export function firstAccount({ prisma }: Connection): Promise<StoredAccount | null> {
  return prisma.account.findFirst({ select: shown, orderBy: [...oldestFirst] });
}

export async function setTier({ prisma }: Connection, id: string, tier: Tier): Promise<void> {
  await prisma.account.update({ where: { id }, data: { tier } });
}

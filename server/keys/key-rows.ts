/** Queries of API keys. Keys are found by their hash, and listed without it. */
import type { ParameterKeySort, Permission } from '../../generated/api.js';
import type { Prisma } from '../../generated/prisma/client.js';
import { isPermission } from '../contract/permissions.js';
import type { AccountLimits } from '../accounts/tiers.js';
import { storedLimits } from '../accounts/account-rows.js';
import { type AgentScope, scopeConditions } from '../agents/scope.js';
import { takeTransactionLock } from '../postgres/advisory-lock.sql.js';
import { announceChanges } from '../postgres/changes.js';
import type { Connection, Queryable, Transaction } from '../postgres/connection.js';
import type { Page, PageRequest } from '../contract/page.js';
import { readPage } from '../postgres/page.js';
import { sortOf } from '../postgres/sorting.js';
import { currentDate } from '../lib/time/clock.js';

/** The part of a key that authentication needs. */
interface KeyHolder {
  id: string;
  accountId: string;
  agentId: string | null;
  permissions: Permission[];
  expiresAt: Date | null;
  limits: AccountLimits;
}

const holderFields = {
  id: true,
  accountId: true,
  agentId: true,
  permissions: true,
  expiresAt: true,
  account: { select: { tier: true, caps: true } },
} as const satisfies Prisma.ApiKeySelect;

/** Finds a key by its hash. Undefined if the key does not exist or is revoked. */
export type FindKeyHolder = (keyHash: Uint8Array<ArrayBuffer>) => Promise<KeyHolder | undefined>;

export function createKeyLookup({ prisma }: Connection): FindKeyHolder {
  return async (keyHash) => {
    const where = { keyHash, revokedAt: null };
    const key = await prisma.apiKey.findUnique({ where, select: holderFields });
    return key ? holderOf(key) : undefined;
  };
}

function holderOf(key: Prisma.ApiKeyGetPayload<{ select: typeof holderFields }>): KeyHolder {
  const { id, accountId, agentId, permissions, expiresAt, account } = key;
  const granted = permissions.filter(isPermission);
  return { id, accountId, agentId, permissions: granted, expiresAt, limits: storedLimits(account) };
}

export interface NewKey {
  id: string;
  accountId: string;
  agentId: string | null;
  name: string;
  permissions: Permission[];
  keyHash: Uint8Array<ArrayBuffer>;
  preview: string;
  /** The id of the key that created it. Null: the operator created it. */
  createdBy: string | null;
  expiresAt: Date | null;
}

export interface StoredKey extends Omit<NewKey, 'accountId' | 'keyHash'> {
  createdAt: Date;
  lastUsedAt: Date | null;
}

const keyFields = {
  id: true,
  agentId: true,
  name: true,
  permissions: true,
  preview: true,
  createdAt: true,
  createdBy: true,
  lastUsedAt: true,
  expiresAt: true,
} as const;

type KeyRow = Prisma.ApiKeyGetPayload<{ select: typeof keyFields }>;

function stored(key: KeyRow): StoredKey {
  return { ...key, permissions: key.permissions.filter(isPermission) };
}

export async function insertKey({ prisma }: Connection, key: NewKey): Promise<StoredKey> {
  const data = { ...key, createdAt: currentDate() };
  return stored(await prisma.apiKey.create({ data, select: keyFields }));
}

/**
 * Counts the account's keys that are neither revoked nor expired, and prevents other transactions from adding one until this transaction
 * ends.
 */
export async function countUsableKeysLocked(
  transaction: Transaction,
  accountId: string,
  at: Date,
): Promise<number> {
  await takeTransactionLock(transaction, `keys ${accountId}`);
  const isUsable = { OR: [{ expiresAt: null }, { expiresAt: { gt: at } }] };
  return transaction.prisma.apiKey.count({ where: { accountId, revokedAt: null, ...isUsable } });
}

export interface KeyQuery extends PageRequest, AgentScope {
  accountId: string;
  sort: ParameterKeySort;
}

export async function listKeys(
  database: Queryable,
  { accountId, sort, limit, offset, ...scope }: KeyQuery,
): Promise<Page<StoredKey>> {
  const { field, direction } = sortOf(sort);
  const nulls = field === 'last_used_at' ? ' NULLS LAST' : '';
  const { items, total } = await readPage<KeyRow>(database, {
    limit,
    offset,
    table: 'api_keys',
    fields: Object.keys(keyFields),
    where: {
      'account_id = ?': accountId,
      'revoked_at IS NULL': true,
      ...scopeConditions(scope),
    },
    order: `${field} ${direction}${nulls}, id ${direction}`,
  });
  return { items: items.map(stored), total };
}

interface KeyTarget {
  accountId: string;
  id: string;
  /** If set, matches only a key of this agent. */
  agentId?: string | undefined;
}

function notRevoked({ accountId, id, agentId }: KeyTarget) {
  return { id, accountId, revokedAt: null, ...(agentId === undefined ? {} : { agentId }) };
}

/** Returns false if there is no such key. */
export async function revokeKey(
  transaction: Transaction,
  target: KeyTarget,
  at: Date,
): Promise<boolean> {
  const { count } = await transaction.prisma.apiKey.updateMany({
    where: notRevoked(target),
    data: { revokedAt: at },
  });
  await announceChanges(transaction, [target.id]);
  return count === 1;
}

export async function findKey(
  { prisma }: Connection,
  target: KeyTarget,
): Promise<StoredKey | undefined> {
  const key = await prisma.apiKey.findFirst({ where: notRevoked(target), select: keyFields });
  return key ? stored(key) : undefined;
}

/** Never makes a key live longer. Returns false if there is no such key, or none that lives until then. */
export async function expireKey(
  transaction: Transaction,
  target: KeyTarget,
  at: Date,
): Promise<boolean> {
  const livesUntilThen = { OR: [{ expiresAt: null }, { expiresAt: { gte: at } }] };
  const { count } = await transaction.prisma.apiKey.updateMany({
    where: { ...notRevoked(target), ...livesUntilThen },
    data: { expiresAt: at },
  });
  await announceChanges(transaction, [target.id]);
  return count === 1;
}

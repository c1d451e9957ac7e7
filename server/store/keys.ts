/** The API keys of the database: found by their hash, listed without it. */
import type { Permission } from '../../generated/api.js';
import type { Prisma } from '../../generated/prisma/client.js';
import { isPermission } from '../lib/permissions.js';
import type { Tier } from '../lib/tiers.js';
import type { Database, Transaction } from './database.js';
import { sortOf } from './sorting.js';
import type { Sql, Statement } from './sql.js';

/** What authentication needs to know of a key. */
export interface KeyHolder {
  id: string;
  accountId: string;
  agentId: string | null;
  permissions: Permission[];
  expiresAt: Date | null;
  tier: Tier;
}

const byHash: Statement = {
  name: 'key_by_hash',
  text: `
    SELECT k.id, k.account_id AS "accountId", k.agent_id AS "agentId", k.permissions,
           k.expires_at AS "expiresAt", a.tier
    FROM api_keys k
    JOIN accounts a ON a.id = k.account_id
    WHERE k.key_hash = $1 AND k.revoked_at IS NULL`,
};

export async function findKeyHolder(sql: Sql, hash: Uint8Array): Promise<KeyHolder | undefined> {
  const [holder] = await sql.run<KeyHolder>(byHash, [hash]);
  return holder;
}

export interface NewKey {
  id: string;
  accountId: string;
  agentId: string | null;
  name: string;
  permissions: Permission[];
  keyHash: Uint8Array<ArrayBuffer>;
  preview: string;
  expiresAt: Date | null;
}

export interface StoredKey extends Omit<NewKey, 'accountId' | 'keyHash'> {
  createdAt: Date;
  lastUsedAt: Date | null;
}

const shown = {
  id: true,
  agentId: true,
  name: true,
  permissions: true,
  preview: true,
  createdAt: true,
  lastUsedAt: true,
  expiresAt: true,
} as const;

type ShownKey = Prisma.ApiKeyGetPayload<{ select: typeof shown }>;

function stored(key: ShownKey): StoredKey {
  return { ...key, permissions: key.permissions.filter(isPermission) };
}

export async function insertKey(transaction: Transaction, key: NewKey): Promise<StoredKey> {
  return stored(await transaction.apiKey.create({ data: key, select: shown }));
}

export interface KeyQuery {
  accountId: string;
  agentId: string | undefined;
  sort: 'created_at' | '-created_at' | 'name' | '-name' | 'last_used_at' | '-last_used_at';
  limit: number;
  offset: number;
}

export async function listKeys(
  { prisma }: Database,
  { accountId, agentId, sort, limit, offset }: KeyQuery,
): Promise<{ items: StoredKey[]; total: number }> {
  const where: Prisma.ApiKeyWhereInput = {
    accountId,
    revokedAt: null,
    ...(agentId === undefined ? {} : { agentId }),
  };
  const [items, total] = await Promise.all([
    prisma.apiKey.findMany({
      where,
      select: shown,
      orderBy: orderOf(sort),
      take: limit,
      skip: offset,
    }),
    prisma.apiKey.count({ where }),
  ]);
  return { items: items.map(stored), total };
}

function orderOf(sort: KeyQuery['sort']): Prisma.ApiKeyOrderByWithRelationInput[] {
  const { field, direction } = sortOf(sort);
  switch (field) {
    case 'created_at':
      return [{ createdAt: direction }, { id: direction }];
    case 'name':
      return [{ name: direction }, { id: direction }];
    case 'last_used_at':
      return [{ lastUsedAt: { sort: direction, nulls: 'last' } }, { id: direction }];
  }
}

export interface KeyTarget {
  accountId: string;
  id: string;
  /** Only a key of this agent. */
  agentId: string | undefined;
}

/** Whether there was such a key to revoke. */
export async function revokeKey(
  transaction: Transaction,
  { accountId, id, agentId }: KeyTarget,
  at: Date,
): Promise<boolean> {
  const { count } = await transaction.apiKey.updateMany({
    where: { id, accountId, revokedAt: null, ...(agentId === undefined ? {} : { agentId }) },
    data: { revokedAt: at },
  });
  return count === 1;
}

export async function findKey(
  transaction: Transaction,
  { accountId, id }: Omit<KeyTarget, 'agentId'>,
): Promise<StoredKey | undefined> {
  const key = await transaction.apiKey.findFirst({
    where: { id, accountId, revokedAt: null },
    select: shown,
  });
  return key ? stored(key) : undefined;
}

export async function expireKey(transaction: Transaction, id: string, at: Date): Promise<void> {
  await transaction.apiKey.update({ where: { id }, data: { expiresAt: at } });
}

const touch: Statement = {
  name: 'keys_touch',
  text: `
    UPDATE api_keys k SET last_used_at = GREATEST(k.last_used_at, used.at)
    FROM unnest($1::text[], $2::timestamptz[]) AS used (id, at)
    WHERE k.id = used.id`,
};

export async function touchKeys(sql: Sql, uses: ReadonlyMap<string, Date>): Promise<void> {
  await sql.run(touch, [[...uses.keys()], [...uses.values()]]);
}

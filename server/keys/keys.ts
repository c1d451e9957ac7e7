/** API keys. Each can grant only its own permissions. They are found by their hash, and listed without it. */
import type {
  ApiKeyRequest,
  KeyReplacement,
  ParameterKeySort,
  Permission,
} from '../../generated/api.js';
import type { Prisma } from '../../generated/prisma/client.js';
import { accountArguments } from '../accounts/accounts.js';
import type { Caller } from '../accounts/caller.js';
import {
  insertForAgent,
  resolveListScope,
  resolveScope,
  scopeConditions,
} from '../agents/scope.js';
import { commandLine } from '../contract/command-line.js';
import { forbidden, invalid, notFound, ServiceError } from '../contract/errors.js';
import type { Page, PageRequest } from '../contract/page.js';
import { isPermission } from '../contract/permissions.js';
import { timeOf } from '../contract/times.js';
import type { Secrets } from '../installation/key-ring.js';
import { newId } from '../lib/data/typeid.js';
import { currentDate, currentTime } from '../lib/time/clock.js';
import { takeTransactionLock } from '../postgres/advisory-lock.sql.js';
import { announceChanges } from '../postgres/changes.js';
import type { Connection, Database, Transaction } from '../postgres/database.js';
import { readPage } from '../postgres/page.js';
import { sortOf } from '../postgres/sorting.js';
import { generateApiKey, previewApiKey } from './api-key.js';

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
} as const satisfies Prisma.ApiKeySelect;

type KeyRow = Prisma.ApiKeyGetPayload<{ select: typeof keyFields }>;

export interface StoredKey extends Omit<KeyRow, 'permissions'> {
  permissions: Permission[];
}

function stored(key: KeyRow): StoredKey {
  return { ...key, permissions: key.permissions.filter(isPermission) };
}

export interface KeyInput {
  accountId: string;
  agentId: string | null;
  name: string;
  permissions: Permission[];
  /** The id of the key that creates this one; null for the operator. */
  createdBy: string | null;
  expiresAt: Date | null;
}

/** Checks that the caller may create the requested key. */
export async function authorizeKey(
  database: Database,
  caller: Caller,
  request: ApiKeyRequest,
): Promise<KeyInput> {
  const missing = request.permissions.filter((permission) => !caller.permissions.has(permission));
  if (missing.length > 0) {
    throw forbidden(`This key cannot grant what it does not have: ${missing.join(', ')}.`);
  }
  return {
    accountId: caller.accountId,
    agentId: await resolveScope(database, caller, request.agent_id ?? null),
    name: request.name,
    permissions: request.permissions,
    createdBy: caller.keyId,
    expiresAt: expiryOf(request, caller),
  };
}

/** A key never outlives the one that creates it, so that temporary access cannot be made permanent. */
function expiryOf(
  { expires_at: expiry }: ApiKeyRequest,
  { expiresAt: latest }: Caller,
): Date | null {
  if (expiry === undefined) return latest;
  const expiresAt = expiry === null ? null : futureTime(expiry, 'expires_at');
  if (latest && (!expiresAt || expiresAt > latest)) {
    const error = `must not be later than the expiry of the calling key, ${latest.toISOString()}`;
    throw invalid({ field: 'expires_at', error });
  }
  return expiresAt;
}

function futureTime(text: string, field: string): Date {
  const time = new Date(timeOf(text, field));
  if (time.getTime() > currentTime()) return time;
  throw invalid({ field, error: 'must be in the future' });
}

/** Counts keys that are neither revoked nor expired. No other transaction can add one to the account until this one ends. */
export async function assertKeyLimit(
  transaction: Transaction,
  { accountId, limits }: Caller,
): Promise<void> {
  if (limits.keys === Infinity) return;
  await takeTransactionLock(transaction, `keys ${accountId}`);
  const hasNotExpired = { OR: [{ expiresAt: null }, { expiresAt: { gt: currentDate() } }] };
  const count = await transaction.prisma.apiKey.count({
    where: { accountId, revokedAt: null, ...hasNotExpired },
  });
  if (count < limits.keys) return;
  const message = `The account has ${count} keys, and may have ${limits.keys}. Revoke one first.`;
  throw new ServiceError('conflict', message);
}

/** Lets the key that a new one replaces work until the given time, in the transaction that creates the new one. */
export async function expireReplacedKey(
  transaction: Transaction,
  { accountId, agentId }: Caller,
  { key_id: id, expires_at: expiry }: KeyReplacement,
): Promise<void> {
  const field = 'replaces.expires_at';
  const expiresAt = futureTime(expiry, field);
  const target = { accountId, agentId, id };
  if (await expireKey(transaction, target, expiresAt)) return;
  const replaced = await findKey(transaction, target);
  if (!replaced) throw keyNotFound(id);
  const latest = replaced.expiresAt?.toISOString();
  throw invalid({
    field,
    error: `must not be later than the expiry of the replaced key, ${latest}`,
  });
}

interface IssuedKey {
  record: StoredKey;
  /** The key in plain text, which is shown only once. The database stores its hash. */
  key: string;
}

export async function issueKey(
  { prisma }: Connection,
  secrets: Secrets,
  input: KeyInput,
): Promise<IssuedKey> {
  const key = generateApiKey();
  const data = {
    ...input,
    id: newId('key'),
    keyHash: secrets.hashApiKey(key),
    preview: previewApiKey(key),
    createdAt: currentDate(),
  };
  const row = await insertForAgent(input.agentId, () =>
    prisma.apiKey.create({ data, select: keyFields }),
  );
  return { record: stored(row), key };
}

interface KeyFilter extends PageRequest {
  agent: string | undefined;
  hiddenAgents?: readonly string[] | undefined;
  sort: ParameterKeySort;
}

export async function listKeys(
  database: Database,
  caller: Caller,
  { agent, hiddenAgents, sort, limit, offset }: KeyFilter,
): Promise<Page<StoredKey>> {
  const scope = await resolveListScope(database, caller, agent);
  if (scope === 'none') return { items: [], total: 0 };
  const { field, direction } = sortOf(sort);
  const nulls = field === 'last_used_at' ? ' NULLS LAST' : '';
  const { items, total } = await readPage<KeyRow>(database, {
    limit,
    offset,
    table: 'api_keys',
    fields: Object.keys(keyFields),
    where: {
      'account_id = ?': caller.accountId,
      'revoked_at IS NULL': true,
      ...scopeConditions({ ...scope, hiddenAgents }),
    },
    order: `${field} ${direction}${nulls}, id ${direction}`,
  });
  return { items: items.map(stored), total };
}

interface KeyTarget {
  accountId: string;
  id: string;
  /** If set, matches only a key of this agent. */
  agentId?: string | null;
}

function notRevoked({ accountId, id, agentId = null }: KeyTarget) {
  return { id, accountId, revokedAt: null, ...(agentId === null ? {} : { agentId }) };
}

export function keyNotFound(id: string): ServiceError {
  return notFound(`API key '${id}'`);
}

export async function findKey(
  { prisma }: Connection,
  target: KeyTarget,
): Promise<StoredKey | undefined> {
  const key = await prisma.apiKey.findFirst({ where: notRevoked(target), select: keyFields });
  return key ? stored(key) : undefined;
}

/** Returns false if there is no such key. */
export async function revokeKey(
  transaction: Transaction,
  target: KeyTarget,
  at = currentDate(),
): Promise<boolean> {
  const { count } = await transaction.prisma.apiKey.updateMany({
    where: notRevoked(target),
    data: { revokedAt: at },
  });
  await announceChanges(transaction, [target.id]);
  return count === 1;
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

interface RotatedKey extends IssuedKey {
  /** When the old key expires; undefined if it was revoked immediately. */
  until: Date | undefined;
}

/** Issues a key like the given one, which expires after the grace period. */
export async function rotateKey(
  { database, secrets }: { database: Database; secrets: Secrets },
  { accountId, agentId: scope }: Caller,
  { id, gracePeriodMs }: { id: string; gracePeriodMs: number },
): Promise<RotatedKey> {
  const target = { accountId, agentId: scope, id };
  return database.transaction(async (transaction) => {
    const old = await findKey(transaction, target);
    if (!old) throw keyNotFound(id);
    const { name, agentId, permissions, createdBy, expiresAt } = old;
    if (expiresAt && expiresAt.getTime() <= currentTime()) {
      throw new ServiceError(
        'conflict',
        `API key '${id}' has expired, and so would the new one. Create another: ${commandLine(
          ...['keys', 'create', '--name', name, '--permissions', permissions.join(',')],
          ...(agentId === null ? [] : ['--agent', agentId]),
          ...(await accountArguments(transaction, accountId)),
        )}`,
      );
    }
    const issued = await issueKey(transaction, secrets, {
      accountId,
      name,
      agentId,
      permissions,
      createdBy,
      expiresAt,
    });
    // Only the first of several concurrent rotations replaces the key.
    if (gracePeriodMs === 0) {
      if (!(await revokeKey(transaction, target))) throw keyNotFound(id);
      return { ...issued, until: undefined };
    }
    const graceEnd = new Date(currentTime() + gracePeriodMs);
    const until = expiresAt && expiresAt < graceEnd ? expiresAt : graceEnd;
    if (!(await expireKey(transaction, target, until)))
      throw new ServiceError('conflict', `API key '${id}' was just rotated or revoked.`);
    return { ...issued, until };
  });
}

const revocableFields = {
  id: true,
  accountId: true,
  name: true,
  preview: true,
  lastUsedAt: true,
  revokedAt: true,
} as const satisfies Prisma.ApiKeySelect;

export type RevocableKey = Prisma.ApiKeyGetPayload<{ select: typeof revocableFields }>;

/** By its id in the account, or by its hash in any account. Also if it is revoked. */
export async function findRevocableKey(
  { prisma }: Connection,
  where: { id: string; accountId: string } | { keyHash: Uint8Array<ArrayBuffer> },
): Promise<RevocableKey | undefined> {
  return (await prisma.apiKey.findUnique({ where, select: revocableFields })) ?? undefined;
}

/** The keys that were created with the key, or with one of these. Also revoked ones. */
export async function findCreatedKeys(
  { prisma }: Connection,
  { accountId, id }: Pick<RevocableKey, 'accountId' | 'id'>,
): Promise<RevocableKey[]> {
  const found: RevocableKey[] = [];
  let creators = [id];
  while (creators.length > 0) {
    const created = await prisma.apiKey.findMany({
      where: { accountId, createdBy: { in: creators } },
      select: revocableFields,
      orderBy: { id: 'asc' },
    });
    found.push(...created);
    creators = created.map((key) => key.id);
  }
  return found;
}

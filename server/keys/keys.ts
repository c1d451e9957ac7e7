/** The rules for API keys. A key can grant only its own permissions. */
import type { ApiKeyRequest, KeyReplacement, Permission } from '../../generated/api.js';
import { commandLine } from '../contract/command-line.js';
import { generateApiKey, previewApiKey } from './api-key.js';
import type { Secrets } from '../installation/key-ring.js';
import { newId } from '../lib/data/typeid.js';
import { currentDate, currentTime } from '../lib/time/clock.js';
import type { Connection, Database, Transaction } from '../postgres/database.js';
import * as store from './key-rows.js';
import { accountArguments } from '../accounts/accounts.js';
import { insertForAgent, resolveListScope, resolveScope } from '../agents/scope.js';
import type { Caller } from '../accounts/caller.js';
import { forbidden, invalid, notFound, ServiceError } from '../contract/errors.js';
import type { Page } from '../contract/page.js';
import { timeOf } from '../contract/times.js';

interface IssuedKey {
  record: store.StoredKey;
  /** The key in plain text, which is shown only once. The database stores its hash. */
  key: string;
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

export async function issueKey(
  connection: Connection,
  secrets: Secrets,
  input: KeyInput,
): Promise<IssuedKey> {
  const key = generateApiKey();
  const record = await insertForAgent(input.agentId, () =>
    store.insertKey(connection, {
      ...input,
      id: newId('key'),
      keyHash: secrets.hashApiKey(key),
      preview: previewApiKey(key),
    }),
  );
  return { record, key };
}

/** The check holds until the transaction ends. */
export async function assertKeyLimit(
  transaction: Transaction,
  { accountId, limits }: Caller,
): Promise<void> {
  if (limits.keys === Infinity) return;
  const count = await store.countUsableKeysLocked(transaction, accountId, currentDate());
  if (count < limits.keys) return;
  const message = `The account has ${count} keys, and may have ${limits.keys}. Revoke one first.`;
  throw new ServiceError('conflict', message);
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

/** Lets the key that a new one replaces work until the given time, in the transaction that creates the new one. */
export async function expireReplacedKey(
  transaction: Transaction,
  caller: Caller,
  { key_id: id, expires_at: expiry }: KeyReplacement,
): Promise<void> {
  const field = 'replaces.expires_at';
  const expiresAt = futureTime(expiry, field);
  const target = targetOf(caller, id);
  if (await store.expireKey(transaction, target, expiresAt)) return;
  const replaced = await store.findKey(transaction, target);
  if (!replaced) throw notFound(`API key '${id}'`);
  const latest = replaced.expiresAt?.toISOString();
  throw invalid({
    field,
    error: `must not be later than the expiry of the replaced key, ${latest}`,
  });
}

function targetOf({ accountId, agentId }: Caller, id: string) {
  return { accountId, id, agentId: agentId ?? undefined };
}

interface KeyFilter extends Omit<store.KeyQuery, 'accountId' | 'agentId'> {
  agent: string | undefined;
}

export async function listKeys(
  database: Database,
  caller: Caller,
  { agent, ...page }: KeyFilter,
): Promise<Page<store.StoredKey>> {
  const scope = await resolveListScope(database, caller, agent);
  if (scope === 'none') return { items: [], total: 0 };
  return store.listKeys(database, { ...page, ...scope, accountId: caller.accountId });
}

export async function revokeKey(database: Database, caller: Caller, id: string): Promise<void> {
  const revoked = await database.transaction((transaction) =>
    store.revokeKey(transaction, targetOf(caller, id), currentDate()),
  );
  if (!revoked) throw notFound(`API key '${id}'`);
}

interface RotatedKey extends IssuedKey {
  /** When the old key expires; undefined if it was revoked immediately. */
  until: Date | undefined;
}

/** Issues a key like the given one, which expires after the grace period. */
export async function rotateKey(
  database: Database,
  secrets: Secrets,
  caller: Caller,
  id: string,
  gracePeriodMs: number,
): Promise<RotatedKey> {
  const { accountId } = caller;
  const target = targetOf(caller, id);
  return database.transaction(async (transaction) => {
    const old = await store.findKey(transaction, target);
    if (!old) throw notFound(`API key '${id}'`);
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
      if (!(await store.revokeKey(transaction, target, currentDate())))
        throw notFound(`API key '${id}'`);
      return { ...issued, until: undefined };
    }
    const graceEnd = new Date(currentTime() + gracePeriodMs);
    const until = expiresAt && expiresAt < graceEnd ? expiresAt : graceEnd;
    if (!(await store.expireKey(transaction, target, until)))
      throw new ServiceError('conflict', `API key '${id}' was just rotated or revoked.`);
    return { ...issued, until };
  });
}

/**
 * The permissions of the key. A key that may list keys finds itself in the list. The API has no operation that tells others, but
 * the service checks permissions first, so the status of a request without effect shows whether the key has the permission.
 */
import { signal } from '@preact/signals';
import { permissions } from '../../src/generated/service.js';
import {
  ForbiddenError,
  UnauthorizedError,
  type ApiKey,
  type Permission,
} from '../../src/index.js';
import { onSessionEnd, type Session } from './session.js';

/** A permission that is not in the record counts as granted until the service denies it. */
export const granted = signal<Partial<Record<Permission, boolean>>>({});

/** The key itself, if it may list keys and its last characters are unique. */
export const ownKey = signal<ApiKey | undefined>(undefined);

onSessionEnd(() => {
  granted.value = {};
  ownKey.value = undefined;
});

export function may(permission: Permission): boolean {
  return granted.value[permission] !== false;
}

export function missingPermission(permission: Permission): string {
  return `This key lacks the permission '${permission}'.`;
}

/** A valid id that no webhook has. */
const unusedWebhookId = `wh_${'0'.repeat(26)}`;

/** Rejects if the key is not accepted or the service does not respond. */
export async function detectPermissions(session: Session): Promise<void> {
  const keys = await listKeys(session);
  ownKey.value = keys && findOwnKey(keys, session.keyEnding);
  granted.value = ownKey.value
    ? Object.fromEntries(
        permissions.map((name) => [name, ownKey.value?.permissions.includes(name) ?? false]),
      )
    : { ...(await probePermissions(session)), manage: keys !== undefined };
}

/** Undefined if the key may not list keys. */
async function listKeys({ client }: Session): Promise<ApiKey[] | undefined> {
  try {
    return (await client.keys.list({ limit: 100 })).data;
  } catch (error) {
    if (parseMissingPermission(error)) return undefined;
    throw error;
  }
}

function findOwnKey(keys: ApiKey[], keyEnding: string): ApiKey | undefined {
  const candidates = keys.filter(({ preview }) => preview.endsWith(keyEnding));
  return candidates.length === 1 ? candidates[0] : undefined;
}

async function probePermissions({ client }: Session) {
  const [read, write, remove] = await Promise.all([
    isGranted(client.agents.list({ limit: 1 })),
    // An invalid webhook: the response is 403 without the permission, and 400 with it.
    isGranted(client.webhooks.create({ url: '', events: [] })),
    isGranted(client.webhooks.delete(unusedWebhookId)),
  ]);
  return { read, write, delete: remove };
}

async function isGranted(call: PromiseLike<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (parseMissingPermission(error)) return false;
    // Any other client error comes after the permission check.
    if (isClientError(error)) return true;
    throw error;
  }
}

function isClientError(error: unknown): boolean {
  const { status = 0 } = Object(error) as { status?: number };
  return status >= 400 && status < 500 && status !== 429 && !(error instanceof UnauthorizedError);
}

/** The key may lose a permission while the page is open. */
export function recordMissingPermission(error: unknown): void {
  const permission = parseMissingPermission(error);
  if (permission) granted.value = { ...granted.value, [permission]: false };
}

/** Undefined if the request was forbidden for another reason, such as the settings of an agent. */
function parseMissingPermission(error: unknown): string | undefined {
  if (!(error instanceof ForbiddenError)) return undefined;
  return /lacks the permission '(read|write|delete|manage)'/.exec(error.message)?.[1];
}

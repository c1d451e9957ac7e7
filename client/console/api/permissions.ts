/**
 * What the key may do. A key that may list keys finds itself among them. For others no operation tells, but the service checks
 * the permission before anything else: so a request that can have no effect shows by its status whether the key has it.
 */
import { signal } from '@preact/signals';
import { permissions } from '../../src/generated/service.js';
import {
  ForbiddenError,
  UnauthorizedError,
  type ApiKey,
  type Permission,
} from '../../src/index.js';
import { whenSessionEnds, type Session } from './session.js';

/** What was not learnt is missing, and counts as allowed until the service refuses it. */
export const granted = signal<Partial<Record<Permission, boolean>>>({});

/** The record of the key itself, if it may list keys and exactly one has its ending. */
export const ownKey = signal<ApiKey | undefined>(undefined);

whenSessionEnds(() => {
  granted.value = {};
  ownKey.value = undefined;
});

export function may(permission: Permission): boolean {
  return granted.value[permission] !== false;
}

export function missingPermission(permission: Permission): string {
  return `This key lacks the permission '${permission}'.`;
}

/** An id of the right form that no webhook has. */
const noWebhook = `wh_${'0'.repeat(26)}`;

/** Rejects with the error of a key that is not accepted, or of a service that does not answer. */
export async function learnPermissions(session: Session): Promise<void> {
  const keys = await listKeys(session);
  ownKey.value = keys && findOwnKey(keys, session.keyEnding);
  granted.value = ownKey.value
    ? Object.fromEntries(
        permissions.map((name) => [name, ownKey.value?.permissions.includes(name) ?? false]),
      )
    : { ...(await tryPermissions(session)), manage: keys !== undefined };
}

/** Undefined if the key may not list keys. */
async function listKeys({ client }: Session): Promise<ApiKey[] | undefined> {
  try {
    return (await client.keys.list({ limit: 100 })).data;
  } catch (error) {
    if (namesMissingPermission(error)) return undefined;
    throw error;
  }
}

function findOwnKey(keys: ApiKey[], keyEnding: string): ApiKey | undefined {
  const candidates = keys.filter(({ preview }) => preview.endsWith(keyEnding));
  return candidates.length === 1 ? candidates[0] : undefined;
}

async function tryPermissions({ client }: Session) {
  const [read, write, remove] = await Promise.all([
    isGranted(client.agents.list({ limit: 1 })),
    // Not a webhook: refused with 403 without the permission, with 400 for its content otherwise.
    isGranted(client.webhooks.create({ url: '', events: [] })),
    isGranted(client.webhooks.delete(noWebhook)),
  ]);
  return { read, write, delete: remove };
}

async function isGranted(call: PromiseLike<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (namesMissingPermission(error)) return false;
    // Any other refusal came after the check of the permission.
    if (isRefusalOfContent(error)) return true;
    throw error;
  }
}

function isRefusalOfContent(error: unknown): boolean {
  const { status = 0 } = Object(error) as { status?: number };
  return status >= 400 && status < 500 && status !== 429 && !(error instanceof UnauthorizedError);
}

/** Permissions may also be lost while the page is open. */
export function learnFromRefusal(error: unknown): void {
  const permission = namesMissingPermission(error);
  if (permission) granted.value = { ...granted.value, [permission]: false };
}

/** Which one, if that is why; the settings of an agent refuse requests for other reasons. */
function namesMissingPermission(error: unknown): string | undefined {
  if (!(error instanceof ForbiddenError)) return undefined;
  return /lacks the permission '(read|write|delete|manage)'/.exec(error.message)?.[1];
}

/** `operator keys revoke`: ends a key, and what was created with it. A key that has leaked can be given whole; it is never printed. */
import { text as readText } from 'node:stream/consumers';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import { isWellFormedApiKey } from '../keys/api-key.js';
import { type Created, findCreated, findLeakedKey, revokeLeakedKey } from './leaked-key.js';
import { findRevocableKey, type RevocableKey } from '../keys/keys.js';
import { standardInput } from '../lib/system/terminal.js';
import { confirm } from './confirm.js';
import type { OperatorContext } from './context.js';
import { CommandFailure } from './failure.js';

interface RevokeOptions {
  withCreated: boolean;
  yes: boolean;
}

/**
 * A whole key is found in any account, since it does not show which account it belongs to. `-` reads it from standard input, since npm
 * prints the arguments of what it runs. Undefined if there is no key of that id.
 */
export async function findKeyToRevoke(
  { database, secrets, caller }: OperatorContext,
  argument: string,
  { withCreated }: RevokeOptions,
): Promise<RevocableKey | undefined> {
  const text = argument === '-' ? (await readText(standardInput())).trim() : argument;
  if (text.startsWith('key_')) {
    const { accountId } = await caller();
    const found = await findRevocableKey(database, { id: text, accountId });
    return found?.revokedAt && !withCreated ? undefined : found;
  }
  if (!isWellFormedApiKey(text)) {
    throw new CommandFailure(
      'That is neither the id of a key (key_…) nor a whole key (ahs_…).',
      [],
      exitCodes.usage,
    );
  }
  const found = await findLeakedKey(database, secrets, text);
  if (found) return found;
  throw new CommandFailure('No account has that key.', [], exitCodes.notFound);
}

export async function revoke(
  { database, output }: OperatorContext,
  key: RevocableKey,
  options: RevokeOptions,
): Promise<void> {
  const { id, name, preview, lastUsedAt } = key;
  const { withCreated } = options;
  const found = await findCreated(database, key);
  const shown = `'${name}' (${preview}, last used ${lastUsedAt?.toISOString() ?? 'never'})`;
  const more = withCreated ? `, and end ${countsOf(found)} created with it` : '';
  await confirm(`Revoke ${shown}${more}?`, options);
  const ended = await revokeLeakedKey(database, key, options);
  if (withCreated) {
    const created = {
      keys: ended.keys.map((child) => child.id),
      webhooks: ended.webhooks.map((webhook) => webhook.id),
    };
    output.done(linesOf(key, ended), { id, revoked: true, created });
    return;
  }
  const isAlone = found.keys.length + found.webhooks.length === 0;
  output.done(
    `${id} no longer works.`,
    { id, revoked: true },
    isAlone
      ? []
      : [`What was created with it still works: ${countsOf(found)}. --with-created ends them.`],
  );
}

function countsOf({ keys, webhooks }: Created): string {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  return `${count(keys.length, 'key')} and ${count(webhooks.length, 'webhook')}`;
}

function linesOf({ id, revokedAt }: RevocableKey, { keys, webhooks }: Created): string[] {
  return [
    `${id} ${revokedAt ? 'had been revoked before' : 'no longer works'}.`,
    ...keys.map(
      (key) => `${key.id} '${key.name}' (${key.preview}), created with it, no longer works.`,
    ),
    ...webhooks.map((webhook) => `${webhook.id} to ${webhook.url}, created with it, is deleted.`),
    ...(keys.length + webhooks.length === 0
      ? ['Nothing else that was created with it is left.']
      : []),
  ];
}

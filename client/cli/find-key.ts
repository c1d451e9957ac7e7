/** Finds a key by its id, and warns if it is the one in use. */
import type { ApiKey } from '../src/index.js';
import type { Context } from './context.js';
import { CommandError, exitCodes } from './exit-codes.js';

export async function findKey(context: Context, id: string): Promise<ApiKey> {
  return context.withSpinner('Looking for the key', search(context, id));
}

async function search({ client }: Context, id: string): Promise<ApiKey> {
  for await (const key of (await client()).keys.list()) if (key.id === id) return key;
  throw new CommandError(`There is no key '${id}'.`, exitCodes.notFound, [
    'agent-hosting keys list shows their ids.',
  ]);
}

/** For revocation only: a rotation updates the profile, so the next command works. */
export async function warnIfInUse(
  { connection, output }: Context,
  { preview }: ApiKey,
): Promise<void> {
  const { keyPreview, profile } = await connection();
  if (preview !== keyPreview) return;
  const source = profile === undefined ? 'in AGENT_HOSTING_API_KEY' : `of the profile '${profile}'`;
  output.note([
    { style: 'yellow', text: 'This is the key in use,' },
    ` ${source}: without it, your next command needs another.`,
  ]);
}

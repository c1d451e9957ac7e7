/** `agent-hosting keys rotate`: replaces a key. The old one is revoked at once, or expires after a grace period. */
import type { Command } from 'commander';
import { type ApiKey, NotFoundError } from '../../src/index.js';
import { shellQuote } from '../shell-quote.js';
import type { Context, Runner } from '../context.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { findKey } from '../find-key.js';
import { readProfiles, writeProfiles } from '../profiles.js';
import { confirm } from '../prompt.js';
import { parseDuration, timestampFromNow } from '../time.js';
import { printNewKey } from './new-key.js';

interface RotateOptions {
  yes?: boolean;
  grace?: number;
}

export function addRotateCommand(keys: Command, run: Runner): void {
  keys
    .command('rotate')
    .description('create a key that replaces another')
    .argument('<id>', 'the id of the key to replace')
    .option('--grace <duration>', 'how long the old key keeps working, such as 24h', parseDuration)
    .option('--yes', 'skip the confirmation, which is asked for without --grace')
    .addHelpText('after', rotateHelp)
    .action(run(rotate));
}

const rotateHelp = `
The new key has the name, permissions, agent and expiry of the old one. It is
printed, and replaces the old one in the profiles.

With --grace the old key keeps working for that long, and then expires. Without
it the old key is revoked as soon as the new one has been printed.

Examples:
  agent-hosting keys rotate key_01m3v7xjz0etnv3twffmsrhx7s --grace 24h
  agent-hosting keys rotate key_01m3v7xjz0etnv3twffmsrhx7s --yes > key.txt`;

async function rotate(context: Context, options: RotateOptions, id = ''): Promise<void> {
  const { output, terminal } = context;
  const { client } = await context.connection();
  const old = await findKey(context, id);
  const { name, permissions, agent_id, expires_at, preview } = old;
  if (expires_at !== null && Date.parse(expires_at) <= Date.now()) {
    throw new CommandError(
      `${id} has expired, and a new key would have the same expiry.`,
      exitCodes.conflict,
      [`Create another: ${createCommand(old)}`],
    );
  }
  const until = options.grace ? earlier(timestampFromNow(options.grace), expires_at) : null;
  if (until === null) {
    const question = `Replace the key '${name}' (${preview})? The old one stops working at once.`;
    await confirm(terminal, question, options.yes);
  }
  const work = client.keys.create({
    name,
    permissions,
    agent_id,
    expires_at,
    ...(until !== null && { replaces: { key_id: id, expires_at: until } }),
  });
  const created = await context.withSpinner('Creating a key', work);
  const replacement = { ...created, replaces: { id, works_until: until } };
  printNewKey(output, replacement);
  if (until !== null) {
    output.note(`${id} works until ${until}.`);
    await updateProfiles(context, old, created.key);
    return;
  }
  try {
    // The old key must keep working until the new one has been written.
    await terminal.flush();
    await updateProfiles(context, old, created.key);
    await revoke(context, id);
  } catch (error) {
    output.note(`${id} was not revoked. Revoke it with: agent-hosting keys revoke ${id}`);
    throw error;
  }
}

function createCommand({ name, permissions, agent_id }: ApiKey): string {
  const agent = agent_id === null ? '' : ` --agent ${agent_id}`;
  return `agent-hosting keys create --name ${shellQuote(name)} --permissions ${permissions.join(',')}${agent}`;
}

function earlier(first: string, second: string | null): string {
  return second !== null && Date.parse(second) < Date.parse(first) ? second : first;
}

/** Replaces the old key in the profiles. It is recognised by its last characters, which is all the service shows. */
async function updateProfiles(
  context: Context,
  { preview }: ApiKey,
  apiKey: string,
): Promise<void> {
  const { baseUrl } = await context.connection();
  const saved = await readProfiles();
  const affected = Object.entries(saved.profiles).filter(
    ([, profile]) => profile.baseUrl === baseUrl && profile.apiKey.endsWith(preview.slice(-4)),
  );
  if (affected.length === 0) return;
  const changed = affected.map(([name, profile]) => [name, { ...profile, apiKey }] as const);
  await writeProfiles({
    ...saved,
    profiles: { ...saved.profiles, ...Object.fromEntries(changed) },
  });
  for (const [name] of affected) context.output.note(`The profile '${name}' now has the new key.`);
}

async function revoke({ client, withSpinner, output }: Context, id: string): Promise<void> {
  const { keys } = await client();
  await withSpinner('Revoking the old key', keys.revoke(id)).catch((error: unknown) => {
    // Another command has revoked it.
    if (!(error instanceof NotFoundError)) throw error;
  });
  output.note(`${id} no longer works.`);
}

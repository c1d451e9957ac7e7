/** `agent-hosting keys rotate`: replaces a key, and revokes the old one at once or after a grace period. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { ApiKey } from '../../src/index.js';
import { shellQuote } from '../shell-quote.js';
import type { Context, Runner } from '../context.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { findKey } from '../find-key.js';
import { readProfiles, writeProfiles } from '../profiles.js';
import { confirm } from '../prompt.js';
import { revocationsDirectory, revokeKey, scheduleRevocation } from '../scheduled-revocations.js';
import { parseDuration, timestampFromNow } from '../time.js';
import { printNewKey } from './new-key.js';

interface RotateOptions {
  yes?: boolean;
  grace?: number;
  wait?: boolean;
}

export function addRotateCommand(keys: Command, run: Runner): void {
  keys
    .command('rotate')
    .description('create a key that replaces another')
    .argument('<id>', 'the id of the key to replace')
    .option('--grace <duration>', 'how long the old key keeps working, such as 24h', parseDuration)
    .option('--wait', 'wait for the end of the grace period, and revoke the old key then')
    .option('--yes', 'skip the confirmation, which is asked for without --grace')
    .addHelpText('after', rotateHelp)
    .action(run(rotate));
}

const rotateHelp = `
The new key has the name, permissions, agent and expiry of the old one. It is
printed, and replaces the old one in the profiles, before the old one is
revoked, so that one of the two always works.

The old key is revoked at once. With --grace it keeps working for that long; the
first "agent-hosting keys" command after that time revokes it, such as a "keys
list" from a cron job, or this command itself with --wait. To keep such a key,
remove its file from
  ${revocationsDirectory()}

Examples:
  agent-hosting keys rotate key_01m3v7xjz0etnv3twffmsrhx7s --grace 24h
  agent-hosting keys rotate key_01m3v7xjz0etnv3twffmsrhx7s --yes > key.txt
  agent-hosting keys rotate key_01m3v7xjz0etnv3twffmsrhx7s --grace 10m --wait`;

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
  if (!options.grace) {
    const question = `Replace the key '${name}' (${preview})? The old one stops working at once.`;
    await confirm(terminal, question, options.yes);
  }
  const work = client.keys.create({ name, permissions, agent_id, expires_at });
  const created = await context.withSpinner('Creating a key', work);
  const until = options.grace ? earlier(timestampFromNow(options.grace), expires_at) : null;
  const replacement = { ...created, replaces: { id, works_until: until } };
  printNewKey(output, replacement);
  try {
    // The old key must keep working until the new one has been written.
    await terminal.flush();
    await updateProfiles(context, old, created.key);
    if (until === null) await revokeNow(context, id);
    else await revokeLater(context, id, until, options.wait);
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

async function revokeNow({ connection, withSpinner, output }: Context, id: string): Promise<void> {
  const { client } = await connection();
  await withSpinner('Revoking the old key', revokeKey(client, id));
  output.note(`${id} no longer works.`);
}

async function revokeLater(
  context: Context,
  id: string,
  until: string,
  wait = false,
): Promise<void> {
  const { output, interruptSignal, connection } = context;
  const { baseUrl } = await connection();
  await scheduleRevocation(id, baseUrl, until);
  if (!wait) {
    output.note(`${id} works until ${until}; the first keys command after that revokes it.`);
    return;
  }
  const signal = interruptSignal();
  output.note(`${id} works until ${until} and is revoked then. Ctrl-C leaves that for later.`);
  await delayUntil(until, signal);
  await revokeNow(context, id);
}

/** Waits in steps, since a timer is limited to 24 days and the machine may be suspended. */
async function delayUntil(until: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const remaining = Date.parse(until) - Date.now();
    if (remaining <= 0) return;
    await delay(Math.min(remaining, 60_000), undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
}

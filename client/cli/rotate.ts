/** `agent-hosting keys rotate`: a new key with the settings of an old one, which ends at once or after a while. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { AgentHosting, ApiKey } from '../src/index.js';
import type { Context, Runner } from './context.js';
import { CommandFailure, exitCodes } from './exit-codes.js';
import { readProfiles, writeProfiles } from './profiles.js';
import { duration } from './time.js';

interface RotateOptions {
  grace: number;
  wait?: boolean;
}

export function addRotateCommand(keys: Command, run: Runner): void {
  keys
    .command('rotate')
    .description('make a key that takes the place of another')
    .argument('<id>', 'the id of the key to replace')
    .option('--grace <duration>', 'how long the old key is kept, such as 24h', duration, 0)
    .option('--wait', 'stay until the grace is over, and end the old key then')
    .addHelpText('after', rotateHelp)
    .action(run(rotate));
}

const rotateHelp = `
The old key ends at once. With --grace it is kept: the API cannot let a key end by itself later, so somebody has to. Either
this command, which stays with --wait, or you, with the keys revoke that it prints.
(On the server, "npm run operator -- keys rotate --grace 24h" ends the old key by itself.)

Examples:
  agent-hosting keys rotate key_01m3v7xjz0etnv3twffmsrhx7s
  agent-hosting keys rotate key_01m3v7xjz0etnv3twffmsrhx7s --grace 24h
  agent-hosting keys rotate key_01m3v7xjz0etnv3twffmsrhx7s --grace 10m --wait`;

async function rotate(context: Context, { grace, wait }: RotateOptions, id = ''): Promise<void> {
  const { output } = context;
  const client = await context.client();
  const old = await context.wait('Looking for the key', find(client, id));
  const { name, permissions, agent_id, expires_at } = old;
  const made = await client.keys.create({ name, permissions, agent_id, expires_at });
  const due = new Date(Date.now() + grace);
  // The new key must be shown whatever becomes of the old one.
  const problem = grace === 0 ? await revoke(client, id) : undefined;
  const isRevoked = grace === 0 && problem === undefined;
  output.note(`Keep it: it is shown this once. Its id is ${made.id}.`);
  output.done(made.key, {
    ...made,
    replaces: { id, revoked: isRevoked, revoke_after: grace > 0 ? due.toISOString() : null },
  });
  await keepUsing(context, old, made.key);
  if (problem !== undefined) throw problem;
  if (isRevoked) output.note(`${id} no longer works.`);
  else if (wait) await endLater(context, client, id, due);
  else output.note(`${id} still works. End it after ${due.toISOString()}: ${revokeCommand(id)}`);
}

async function revoke(client: AgentHosting, id: string): Promise<Error | undefined> {
  try {
    await client.keys.revoke(id);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function revokeCommand(id: string): string {
  return `agent-hosting keys revoke ${id}`;
}

/** A profile whose own key was replaced goes on with the new one. */
async function keepUsing({ globals, output }: Context, old: ApiKey, key: string): Promise<void> {
  const saved = await readProfiles();
  const name = globals.profile ?? saved.current;
  const profile = saved.profiles[name];
  const ending = old.preview.slice(-4);
  if (!profile?.apiKey.endsWith(ending)) return;
  saved.profiles[name] = { ...profile, apiKey: key };
  await writeProfiles(saved);
  output.note(`The profile '${name}' uses the new key from now on.`);
}

async function find(client: AgentHosting, id: string): Promise<ApiKey> {
  for await (const key of client.keys.list()) if (key.id === id) return key;
  throw new CommandFailure(
    `There is no key ${id}, or this key may not see it.`,
    exitCodes.notFound,
  );
}

async function endLater(
  { output, interruptible }: Context,
  client: AgentHosting,
  id: string,
  due: Date,
): Promise<void> {
  const signal = interruptible();
  output.note(`${id} works until ${due.toISOString()}; then it is ended here. Ctrl-C keeps it.`);
  try {
    await delayUntil(due, signal);
  } catch {
    // Only the interruption ends the waiting early.
    output.note(`${id} still works. End it with: ${revokeCommand(id)}`);
    return;
  }
  await client.keys.revoke(id);
  output.note(`${id} no longer works.`);
}

/** In steps, since a timer takes no more than 24 days, and a machine may sleep. */
async function delayUntil(due: Date, signal: AbortSignal): Promise<void> {
  for (;;) {
    const left = due.getTime() - Date.now();
    if (left <= 0) return;
    await delay(Math.min(left, 60_000), undefined, { signal });
  }
}

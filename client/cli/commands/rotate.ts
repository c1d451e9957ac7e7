/** `agent-hosting keys rotate`: a new key with the settings of an old one, which ends at once or after a while. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { AgentHosting, ApiKey } from '../../src/index.js';
import type { Context, Runner } from '../context.js';
import { endKey, endingsFolder, rememberEnding } from '../endings.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { readProfiles, writeProfiles } from '../profiles.js';
import { duration, fromNow } from '../time.js';

interface RotateOptions {
  grace?: number;
  wait?: boolean;
}

export function addRotateCommand(keys: Command, run: Runner): void {
  keys
    .command('rotate')
    .description('make a key that takes the place of another')
    .argument('<id>', 'the id of the key to replace')
    .option('--grace <duration>', 'how long the old key is kept, such as 24h', duration)
    .option('--wait', 'stay until the grace is over, and end the old key then')
    .addHelpText('after', rotateHelp)
    .action(run(rotate));
}

const rotateHelp = `
The new key has the name, permissions, agent and expiry of the old one. It is
printed, and put into the profiles that have the old one, before anything
happens to the old one: whatever fails, one of the two works.

The old key ends at once. With --grace it is kept until then: the first
"agent-hosting keys" command after that time ends it, such as a "keys list" of
a timer, or this command itself with --wait. To keep such a key after all,
remove its file from
  ${endingsFolder()}

Examples:
  agent-hosting keys rotate key_01m3v7xjz0etnv3twffmsrhx7s
  agent-hosting keys rotate key_01m3v7xjz0etnv3twffmsrhx7s --grace 24h
  agent-hosting keys rotate key_01m3v7xjz0etnv3twffmsrhx7s --grace 10m --wait`;

async function rotate(context: Context, options: RotateOptions, id = ''): Promise<void> {
  const { output, terminal } = context;
  const { client } = await context.connection();
  const old = await context.wait('Looking for the key', find(client, id));
  const { name, permissions, agent_id, expires_at } = old;
  const work = client.keys.create({ name, permissions, agent_id, expires_at });
  const made = await context.wait('Making a key', work);
  const until = options.grace ? earlier(fromNow(options.grace), expires_at) : null;
  output.note(`Keep it: it is shown this once. Its id is ${made.id}.`);
  output.done(made.key, { ...made, replaces: { id, works_until: until } });
  try {
    // The old key is touched when the new one is out of our hands, and not before.
    await terminal.flushed();
    await keepUsing(context, old, made.key);
    if (until === null) await endNow(context, id);
    else await endLater(context, id, until, options.wait);
  } catch (error) {
    output.note(`${id} was not ended. End it with: agent-hosting keys revoke ${id}`);
    throw error;
  }
}

async function find(client: AgentHosting, id: string): Promise<ApiKey> {
  for await (const key of client.keys.list()) {
    if (key.id !== id) continue;
    if (key.expires_at === null || Date.parse(key.expires_at) > Date.now()) return key;
    throw new CommandFailure(`${id} has expired, and so would the new one.`, exitCodes.conflict, [
      'Make another: agent-hosting keys create',
    ]);
  }
  throw new CommandFailure(`There is no key '${id}'.`, exitCodes.notFound, [
    'agent-hosting keys list shows their ids.',
  ]);
}

function earlier(one: string, other: string | null): string {
  return other !== null && Date.parse(other) < Date.parse(one) ? other : one;
}

/** Profiles that have the old key go on with the new one. Its last letters are all that a service tells of a key. */
async function keepUsing(context: Context, { preview }: ApiKey, apiKey: string): Promise<void> {
  const { baseUrl } = await context.connection();
  const saved = await readProfiles();
  const concerned = Object.entries(saved.profiles).filter(
    ([, profile]) => profile.baseUrl === baseUrl && profile.apiKey.endsWith(preview.slice(-4)),
  );
  if (concerned.length === 0) return;
  const changed = concerned.map(([name, profile]) => [name, { ...profile, apiKey }] as const);
  await writeProfiles({
    ...saved,
    profiles: { ...saved.profiles, ...Object.fromEntries(changed) },
  });
  for (const [name] of concerned) context.output.note(`The profile '${name}' has the new key.`);
}

async function endNow({ connection, wait, output }: Context, id: string): Promise<void> {
  const { client } = await connection();
  await wait('Ending the old key', endKey(client, id));
  output.note(`${id} no longer works.`);
}

async function endLater(context: Context, id: string, until: string, wait = false): Promise<void> {
  const { output, interruptible, connection } = context;
  const { baseUrl } = await connection();
  await rememberEnding(id, baseUrl, until);
  if (!wait) {
    output.note(`${id} works until ${until}; the first keys command after that ends it.`);
    return;
  }
  const signal = interruptible();
  output.note(`${id} works until ${until}; then it is ended. Ctrl-C leaves that for later.`);
  await delayUntil(until, signal);
  await endNow(context, id);
}

/** In steps, since a timer takes no more than 24 days, and a machine may sleep. */
async function delayUntil(until: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const left = Date.parse(until) - Date.now();
    if (left <= 0) return;
    await delay(Math.min(left, 60_000), undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
}

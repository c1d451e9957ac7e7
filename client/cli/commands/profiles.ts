/** `agent-hosting login`, `logout` and `profiles`: which service to talk to, with which key. */
import type { Command } from 'commander';
import { agentHosting, ForbiddenError } from '../../src/index.js';
import { readSecret } from '../ask.js';
import type { Context, Runner } from '../context.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { profilesFile, readProfiles, writeProfiles } from '../profiles.js';

const usualUrl = 'http://127.0.0.1:3000';

export function addProfileCommands(program: Command, run: Runner): void {
  program
    .command('login')
    .description('save the address of a service and a key for it')
    .addHelpText(
      'after',
      `
The key is asked for, or read from standard input. It is tried before it is saved, in ${profilesFile()},
which only you can read. --profile names the profile, --base-url the service.

Examples:
  agent-hosting login --base-url https://agents.acme.example
  agent-hosting login --profile staging < key.txt`,
    )
    .action(run(login));

  program
    .command('logout')
    .description('forget a saved key')
    .addHelpText('after', '\nExample:\n  agent-hosting logout --profile staging')
    .action(run(logout));

  const profiles = program
    .command('profiles')
    .description('show the saved services, and choose one');
  profiles
    .command('list')
    .description('list what is saved; keys are not shown')
    .action(run(listProfiles));
  profiles
    .command('use')
    .description('use this one from now on')
    .argument('<name>', 'the name of the profile')
    .action(run(useProfile));
}

async function login({ terminal, output, wait, globals }: Context): Promise<void> {
  const saved = await readProfiles();
  const name = globals.profile ?? 'default';
  const known = saved.profiles[name]?.baseUrl ?? process.env['AGENT_HOSTING_BASE_URL'];
  const baseUrl = globals.baseUrl ?? known ?? usualUrl;
  const apiKey = await readSecret(terminal, `API key for ${baseUrl}: `);
  if (apiKey === '') throw new CommandFailure('No key was given.', exitCodes.usage);
  await wait('Trying the key', tryKey(baseUrl, apiKey));
  await writeProfiles({
    current: name,
    profiles: { ...saved.profiles, [name]: { baseUrl, apiKey } },
  });
  output.done(`Logged in to ${baseUrl} as '${name}'.`, { profile: name, base_url: baseUrl });
}

/** A key that may not read is a key all the same. */
async function tryKey(baseUrl: string, apiKey: string): Promise<void> {
  try {
    await agentHosting({ baseUrl, apiKey }).agents.list({ limit: 1 }).page();
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
  }
}

async function logout({ output, globals }: Context): Promise<void> {
  const { current, profiles } = await readProfiles();
  const name = globals.profile ?? current;
  const { [name]: gone, ...rest } = profiles;
  if (!gone) throw new CommandFailure(`There is no profile '${name}'.`, exitCodes.notFound);
  const next = name === current ? (Object.keys(rest)[0] ?? 'default') : current;
  await writeProfiles({ current: next, profiles: rest });
  output.done(`Forgot '${name}'. The key itself still works; keys revoke ends it.`, {
    profile: name,
    forgotten: true,
  });
}

async function listProfiles({ output }: Context): Promise<void> {
  const { current, profiles } = await readProfiles();
  const rows = Object.entries(profiles).map(([name, { baseUrl }]) => ({
    name,
    base_url: baseUrl,
    current: name === current,
  }));
  output.list(rows, [
    { title: 'name', value: ({ name }) => name, isWhole: true },
    { title: 'service', value: ({ base_url }) => base_url },
    { title: 'in use', value: (row) => (row.current ? 'yes' : '') },
  ]);
}

async function useProfile({ output }: Context, _options: object, name = ''): Promise<void> {
  const { profiles } = await readProfiles();
  const profile = profiles[name];
  if (!profile) throw new CommandFailure(`There is no profile '${name}'.`, exitCodes.notFound);
  await writeProfiles({ current: name, profiles });
  output.done(`Using '${name}' (${profile.baseUrl}).`, {
    profile: name,
    base_url: profile.baseUrl,
  });
}

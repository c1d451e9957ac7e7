/** `agent-hosting login`, `logout` and `profiles`: which service to talk to, with which key. */
import type { Command } from 'commander';
import { agentHosting, ForbiddenError, UnauthorizedError } from '../../src/index.js';
import { defaultBaseUrl } from '../../src/generated/service.js';
import { readSecret } from '../ask.js';
import { addressOf, profileOf, unknownProfile } from '../connection.js';
import type { Context, Runner } from '../context.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { profilesFile, readProfiles, writeProfiles } from '../profiles.js';

export function addProfileCommands(program: Command, run: Runner): void {
  program
    .command('login')
    .description('save the address of a service and a key for it, and use them from now on')
    .addHelpText(
      'after',
      `
The key is asked for, or read from standard input. It is tried before it is
saved. --profile names the profile, --base-url the service. Only you can read
  ${profilesFile()}

Examples:
  agent-hosting login --base-url https://agents.acme.example
  agent-hosting login --profile staging --base-url https://staging.acme.example < key.txt`,
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
    .addHelpText('after', '\nExample:\n  agent-hosting profiles list')
    .action(run(listProfiles));
  profiles
    .command('use')
    .description('use this one from now on')
    .argument('<name>', 'the name of the profile')
    .addHelpText('after', '\nExample:\n  agent-hosting profiles use staging')
    .action(run(useProfile));
}

async function login({ terminal, output, wait, globals, talksTo }: Context): Promise<void> {
  const saved = await readProfiles();
  const name = globals.profile ?? 'default';
  const { AGENT_HOSTING_BASE_URL: environmentUrl } = process.env;
  const known = profileOf(saved, name)?.baseUrl ?? (environmentUrl || defaultBaseUrl);
  const baseUrl = addressOf(globals.baseUrl ?? known);
  talksTo({ baseUrl, profile: name });
  const apiKey = await readSecret(terminal, `API key for ${baseUrl}: `);
  if (apiKey === '') throw new CommandFailure('No key was given.', exitCodes.usage);
  await wait('Trying the key', tryKey(baseUrl, apiKey));
  // The waiting was long enough for another command to save something.
  const { profiles } = await readProfiles();
  await writeProfiles({ current: name, profiles: { ...profiles, [name]: { baseUrl, apiKey } } });
  output.done(`Logged in to ${baseUrl} as '${name}'.`, { profile: name, base_url: baseUrl });
  if (isInTheOpen(baseUrl)) {
    output.note('The address is not https: everybody on the way can read the key.');
  }
  if (process.env['AGENT_HOSTING_API_KEY']) {
    output.note('AGENT_HOSTING_API_KEY is set, and goes before it. Unset it to use the profile.');
  }
}

/** Only on this machine is plain http nobody else's business. */
function isInTheOpen(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname);
}

/** A key that may not read is a key all the same. */
async function tryKey(baseUrl: string, apiKey: string): Promise<void> {
  try {
    await agentHosting({ baseUrl, apiKey }).agents.list({ limit: 1 }).page();
  } catch (error) {
    if (error instanceof UnauthorizedError) {
      throw new CommandFailure(`${baseUrl} does not know this key.`, exitCodes.notAllowed, [
        'Nothing was saved. A key begins with ahs_; agent-hosting keys create makes one.',
      ]);
    }
    if (!(error instanceof ForbiddenError)) throw error;
  }
}

async function logout({ output, globals }: Context): Promise<void> {
  const saved = await readProfiles();
  const name = globals.profile ?? saved.current;
  if (!profileOf(saved, name)) throw unknownProfile(saved, name);
  const rest = Object.fromEntries(
    Object.entries(saved.profiles).filter(([other]) => other !== name),
  );
  const current = name === saved.current ? (Object.keys(rest)[0] ?? 'default') : saved.current;
  await writeProfiles({ current, profiles: rest });
  output.done(`Forgot '${name}'. The key itself still works; keys revoke ends one.`, {
    profile: name,
    forgotten: true,
  });
  if (name !== current && current in rest) output.note(`'${current}' is used from now on.`);
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
    { title: 'in use', value: (row) => (row.current ? 'yes' : ''), style: () => 'green' },
  ]);
}

async function useProfile({ output }: Context, _options: object, name = ''): Promise<void> {
  const saved = await readProfiles();
  const profile = profileOf(saved, name);
  if (!profile) throw unknownProfile(saved, name);
  await writeProfiles({ ...saved, current: name });
  const { baseUrl } = profile;
  output.done(`Using '${name}' (${baseUrl}).`, { profile: name, base_url: baseUrl });
}

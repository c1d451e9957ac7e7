/** `agent-hosting login`, `logout` and `profiles`: saves which service to call, with which key. */
import type { Command } from 'commander';
import { agentHosting, ForbiddenError, UnauthorizedError } from '../../src/index.js';
import { defaultBaseUrl } from '../../src/generated/service.js';
import { parseBaseUrl } from '../connection.js';
import type { Context, Runner } from '../context.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import {
  findProfile,
  profilesFile,
  readProfiles,
  unknownProfileError,
  writeProfiles,
} from '../profiles.js';
import { readSecret } from '../prompt.js';

export function addProfileCommands(program: Command, run: Runner): void {
  program
    .command('login')
    .description('save the URL of a service and a key for it as the current profile')
    .addHelpText(
      'after',
      `
The key is prompted for, or read from standard input, and tested before it is
saved. --profile names the profile, --base-url the service. Only you can read
  ${profilesFile()}

Examples:
  agent-hosting login --base-url https://agents.acme.example
  agent-hosting login --profile staging --base-url https://staging.acme.example < key.txt`,
    )
    .action(run(login));

  program
    .command('logout')
    .description('delete a profile')
    .addHelpText('after', '\nExample:\n  agent-hosting logout --profile staging')
    .action(run(logout));

  const profiles = program
    .command('profiles')
    .description('list the profiles, and choose the current one');
  profiles
    .command('list')
    .description('list the profiles, without their keys')
    .addHelpText('after', '\nExample:\n  agent-hosting profiles list')
    .action(run(listProfiles));
  profiles
    .command('use')
    .description('make a profile the current one')
    .argument('<name>', 'the name of the profile')
    .addHelpText('after', '\nExample:\n  agent-hosting profiles use staging')
    .action(run(useProfile));
}

async function login({
  terminal,
  output,
  withSpinner,
  globalOptions,
  setTarget,
}: Context): Promise<void> {
  const saved = await readProfiles();
  const name = globalOptions.profile ?? 'default';
  const { AGENT_HOSTING_BASE_URL: environmentUrl } = process.env;
  const knownUrl = findProfile(saved, name)?.baseUrl ?? (environmentUrl || defaultBaseUrl);
  const baseUrl = parseBaseUrl(globalOptions.baseUrl ?? knownUrl);
  setTarget({ baseUrl, profile: name });
  const apiKey = await readSecret(terminal, `API key for ${baseUrl}: `);
  if (apiKey === '') throw new CommandError('No key was given.', exitCodes.usage);
  await withSpinner('Testing the key', testKey(baseUrl, apiKey));
  // Read again: another command may have saved something in the meantime.
  const { profiles } = await readProfiles();
  await writeProfiles({ current: name, profiles: { ...profiles, [name]: { baseUrl, apiKey } } });
  output.result(`Logged in to ${baseUrl} as '${name}'.`, { profile: name, base_url: baseUrl });
  if (isUnencrypted(baseUrl)) {
    output.note('The URL is not https: the key is sent unencrypted.');
  }
  if (process.env['AGENT_HOSTING_API_KEY']) {
    output.note(
      'AGENT_HOSTING_API_KEY is set, and overrides the profile. Unset it to use the profile.',
    );
  }
}

/** On the loopback interface, plain http is safe. */
function isUnencrypted(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname);
}

/** A key without the permission to read is valid too. */
async function testKey(baseUrl: string, apiKey: string): Promise<void> {
  try {
    await agentHosting({ baseUrl, apiKey }).agents.list({ limit: 1 }).page();
  } catch (error) {
    if (error instanceof UnauthorizedError) {
      throw new CommandError(`${baseUrl} does not know this key.`, exitCodes.denied, [
        'Nothing was saved. A key begins with ahs_; agent-hosting keys create creates one.',
      ]);
    }
    if (!(error instanceof ForbiddenError)) throw error;
  }
}

async function logout({ output, globalOptions }: Context): Promise<void> {
  const saved = await readProfiles();
  const name = globalOptions.profile ?? saved.current;
  if (!findProfile(saved, name)) throw unknownProfileError(saved, name);
  const rest = Object.fromEntries(
    Object.entries(saved.profiles).filter(([other]) => other !== name),
  );
  const current = name === saved.current ? (Object.keys(rest)[0] ?? 'default') : saved.current;
  await writeProfiles({ current, profiles: rest });
  output.result(`Deleted the profile '${name}'. Its key still works; keys revoke revokes one.`, {
    profile: name,
    forgotten: true,
  });
  if (name !== current && current in rest) output.note(`'${current}' is the current profile now.`);
}

async function listProfiles({ output }: Context): Promise<void> {
  const { current, profiles } = await readProfiles();
  const rows = Object.entries(profiles).map(([name, { baseUrl }]) => ({
    name,
    base_url: baseUrl,
    current: name === current,
  }));
  output.list(rows, [
    { title: 'name', value: ({ name }) => name, neverTruncate: true },
    { title: 'service', value: ({ base_url }) => base_url },
    { title: 'current', value: (row) => (row.current ? 'yes' : ''), style: () => 'green' },
  ]);
}

async function useProfile({ output }: Context, _options: object, name = ''): Promise<void> {
  const saved = await readProfiles();
  const profile = findProfile(saved, name);
  if (!profile) throw unknownProfileError(saved, name);
  await writeProfiles({ ...saved, current: name });
  const { baseUrl } = profile;
  output.result(`Using '${name}' (${baseUrl}).`, { profile: name, base_url: baseUrl });
}

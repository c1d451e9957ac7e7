/** `agent-hosting login`: tests the URL of a service and an API key, and saves both. */
import type { Command } from 'commander';
import { agentHosting, ForbiddenError, UnauthorizedError } from '../../src/index.js';
import { defaultBaseUrl } from '../../src/generated/service.js';
import { assertApiKey } from '../api-key.js';
import { baseUrlOf, environmentUrl, noteOverride, parseBaseUrl } from '../connection.js';
import type { Context, Runner } from '../context.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { isUnencrypted } from '../http-url.js';
import {
  findProfile,
  type Profiles,
  profilesFile,
  readProfiles,
  writeProfiles,
} from '../profiles.js';
import { ask, confirm, readSecret } from '../prompt.js';

export function defineLogin(command: Command, run: Runner): void {
  command
    .addHelpText(
      'after',
      `
Prompts for the URL, the key and a profile name, unless --base-url and --profile
give them. Without a terminal the key is read from standard input. The key is
tested before it is saved. Profiles are stored, readable only by you, in
  ${profilesFile()}

Examples:
  agent-hosting login
  agent-hosting login --base-url https://agents.acme.example
  agent-hosting login --profile staging --base-url https://staging.acme.example < key.txt`,
    )
    .action(run(login));
}

async function login(context: Context): Promise<void> {
  const { output, withSpinner, globalOptions, setTarget } = context;
  const saved = await readProfiles();
  const baseUrl = await chooseUrl(context, saved);
  setTarget({ baseUrl, profile: globalOptions.profile ?? 'default' });
  const apiKey = await readSecret(context.terminal, `API key for ${baseUrl}: `, (key) => {
    if (key === '') throw new CommandError('No key was given.', exitCodes.usage);
    const hint =
      'A key is ahs_ and 46 letters and digits. The operator creates one with: npm run operator -- keys create --name "My key" --role developer';
    assertApiKey(key, 'that was given', hint);
    return key;
  });
  await withSpinner('Testing the key', testKey(baseUrl, apiKey));
  const name = await chooseName(context, saved, baseUrl);
  // Read again: another command may have saved something in the meantime.
  const { profiles } = await readProfiles();
  await writeProfiles({ current: name, profiles: { ...profiles, [name]: { baseUrl, apiKey } } });
  output.result(`Logged in to ${baseUrl} as '${name}'.`, { profile: name, base_url: baseUrl });
  if (isUnencrypted(new URL(baseUrl))) {
    output.note('The URL is not https: the key is sent unencrypted.');
  }
  noteOverride(output);
}

async function chooseUrl({ terminal, globalOptions }: Context, saved: Profiles): Promise<string> {
  const given = baseUrlOf(globalOptions);
  if (given !== undefined) return given;
  const name = globalOptions.profile ?? (terminal.isInteractive ? saved.current : 'default');
  const known = findProfile(saved, name)?.baseUrl;
  const proposed =
    known === undefined
      ? (environmentUrl() ?? defaultBaseUrl)
      : parseBaseUrl(known, `of the profile '${name}' in ${profilesFile()}`);
  if (!terminal.isInteractive) return proposed;
  return ask(terminal, `URL of the service [${proposed}]: `, (answer) =>
    answer === '' ? proposed : parseBaseUrl(answer, 'that was given'),
  );
}

async function chooseName(
  { terminal, globalOptions }: Context,
  saved: Profiles,
  baseUrl: string,
): Promise<string> {
  if (globalOptions.profile !== undefined) return globalOptions.profile;
  if (!terminal.isInteractive) return 'default';
  const proposed = proposeName(saved, baseUrl);
  const name = await ask(terminal, `Name of the profile [${proposed}]: `, (answer) => {
    if (/^[^\s-]\S*$/.test(answer || proposed)) return answer || proposed;
    throw new CommandError('A name must not contain spaces or begin with a dash.');
  });
  const replaced = findProfile(saved, name)?.baseUrl ?? baseUrl;
  if (replaced !== baseUrl) {
    await confirm(terminal, `Replace the profile '${name}', which is for ${replaced}?`);
  }
  return name;
}

/** The existing profile of the service, or an unused name. */
function proposeName({ current, profiles }: Profiles, baseUrl: string): string {
  const names = [current, ...Object.keys(profiles)];
  const known = names.find((name) => findProfile({ current, profiles }, name)?.baseUrl === baseUrl);
  if (known !== undefined) return known;
  if (!Object.hasOwn(profiles, 'default')) return 'default';
  return new URL(baseUrl).host.replace(':', '-');
}

/** A key without the read permission is valid too. */
async function testKey(baseUrl: string, apiKey: string): Promise<void> {
  try {
    await agentHosting({ baseUrl, apiKey }).agents.list({ limit: 1 }).page();
  } catch (error) {
    if (error instanceof UnauthorizedError) {
      throw new CommandError(`${baseUrl} does not accept this key.`, exitCodes.denied, [
        'Nothing was saved. The key may be revoked, expired, or for another service.',
      ]);
    }
    if (!(error instanceof ForbiddenError)) throw error;
  }
}

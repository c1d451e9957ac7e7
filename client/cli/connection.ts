/** Decides which service a command calls, and with which key. */
import { type AgentHosting, agentHosting } from '../src/index.js';
import { defaultBaseUrl } from '../src/generated/service.js';
import { normalizeBaseUrl } from '../src/options.js';
import { assertApiKey, previewKey } from './api-key.js';
import { CommandError, exitCodes } from './exit-codes.js';
import { parseHttpUrl } from './http-url.js';
import type { Output } from './output.js';
import { findProfile, profilesFile, readProfiles, unknownProfileError } from './profiles.js';

export interface ConnectionOptions {
  profile?: string;
  baseUrl?: string;
}

export interface ServiceTarget {
  baseUrl: string;
  /** The profile that the key comes from; undefined if it comes from the environment. */
  profile: string | undefined;
}

export interface Connection extends ServiceTarget {
  client: AgentHosting;
  /** The key in use, as lists show it; undefined if it is a token. */
  keyPreview: string | undefined;
}

/** The order of precedence: --profile, AGENT_HOSTING_API_KEY, the current profile. */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { AGENT_HOSTING_API_KEY: key } = process.env;
  if (options.profile === undefined && key) {
    assertApiKey(
      key,
      'in AGENT_HOSTING_API_KEY',
      'Set it to a complete key, ahs_ and 46 letters and digits, or unset it and run agent-hosting login.',
    );
    // A key from the environment is never sent to the URL of a profile.
    return open(key, baseUrlOf(options) ?? environmentUrl() ?? defaultBaseUrl, undefined);
  }
  const saved = await readProfiles();
  const name = options.profile ?? saved.current;
  const profile = findProfile(saved, name);
  if (!profile && options.profile !== undefined) throw unknownProfileError(saved, name);
  if (!profile) {
    throw new CommandError('There is no API key.', exitCodes.denied, [
      'Run agent-hosting login, or set AGENT_HOSTING_API_KEY.',
    ]);
  }
  const source = `of the profile '${name}' in ${profilesFile()}`;
  assertApiKey(profile.apiKey, source, `Run agent-hosting login --profile ${name}`);
  return open(profile.apiKey, baseUrlOf(options) ?? parseBaseUrl(profile.baseUrl, source), name);
}

function open(apiKey: string, baseUrl: string, profile: string | undefined): Connection {
  const client = agentHosting({ apiKey, baseUrl });
  return { client, baseUrl, profile, keyPreview: previewKey(apiKey) };
}

/** Commands that select or list profiles print this note. */
export function noteOverride({ note }: Pick<Output, 'note'>): void {
  if (!process.env['AGENT_HOSTING_API_KEY']) return;
  note(
    'AGENT_HOSTING_API_KEY is set and overrides the current profile. Unset it, or name a profile with --profile.',
  );
}

/** The value of --base-url, if it is given. */
export function baseUrlOf({ baseUrl }: ConnectionOptions): string | undefined {
  return baseUrl === undefined ? undefined : parseBaseUrl(baseUrl, 'of --base-url');
}

/** The value of AGENT_HOSTING_BASE_URL; an empty variable counts as not set. */
export function environmentUrl(): string | undefined {
  const { AGENT_HOSTING_BASE_URL: url } = process.env;
  return url ? parseBaseUrl(url, 'in AGENT_HOSTING_BASE_URL') : undefined;
}

/** Normalizes the URL as the client does; throws a CommandError if it is invalid. */
export function parseBaseUrl(text: string, source: string): string {
  const { search, hash } = parseHttpUrl(text, source);
  if (search === '' && hash === '') return normalizeBaseUrl(text);
  throw new CommandError(`The URL ${source} must not have a query or fragment.`, exitCodes.usage, [
    'End it with the path under which the service runs, such as https://agents.example.com.',
  ]);
}

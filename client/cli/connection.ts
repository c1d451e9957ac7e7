/** Decides which service a command calls, and with which key. */
import { type AgentHosting, agentHosting } from '../src/index.js';
import { defaultBaseUrl } from '../src/generated/service.js';
import { normalizeBaseUrl } from '../src/options.js';
import { CommandError, exitCodes } from './exit-codes.js';
import { findProfile, readProfiles, unknownProfileError } from './profiles.js';

export interface ConnectionOptions {
  profile?: string;
  baseUrl?: string;
}

export interface ServiceTarget {
  baseUrl: string;
  /** The profile that the key is from; undefined if it is from the environment. */
  profile: string | undefined;
}

export interface Connection extends ServiceTarget {
  client: AgentHosting;
}

/** The order of precedence: the profile of the options, the key of the environment, the current profile. */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const { AGENT_HOSTING_API_KEY: key, AGENT_HOSTING_BASE_URL: url } = process.env;
  const saved = await readProfiles();
  if (options.profile === undefined && key) {
    // A key from the environment is never sent to the URL of a profile.
    const baseUrl = parseBaseUrl(options.baseUrl ?? (url || defaultBaseUrl));
    return { client: agentHosting({ apiKey: key, baseUrl }), baseUrl, profile: undefined };
  }
  const name = options.profile ?? saved.current;
  const profile = findProfile(saved, name);
  if (!profile && options.profile !== undefined) throw unknownProfileError(saved, name);
  if (!profile) {
    throw new CommandError('There is no API key.', exitCodes.denied, [
      'Run agent-hosting login, or set AGENT_HOSTING_API_KEY.',
    ]);
  }
  const baseUrl = parseBaseUrl(options.baseUrl ?? profile.baseUrl);
  return { client: agentHosting({ apiKey: profile.apiKey, baseUrl }), baseUrl, profile: name };
}

/** The URL as the client will use it; throws before anything is sent if it is not one. */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '') return normalizeBaseUrl(text);
  throw new CommandError(`'${text}' is not a valid service URL.`, exitCodes.usage, [
    'Write it like https://agents.example.com or http://127.0.0.1:3000.',
  ]);
}

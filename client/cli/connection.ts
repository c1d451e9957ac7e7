/** Finds out which service a command talks to, and with which key. */
import { type AgentHosting, agentHosting } from '../src/index.js';
import { defaultBaseUrl } from '../src/generated/service.js';
import { CommandFailure, exitCodes } from './exit-codes.js';
import { type Profiles, readProfiles } from './profiles.js';

export interface Choice {
  profile?: string;
  baseUrl?: string;
}

export interface Service {
  baseUrl: string;
  /** The profile that the key is from; undefined if it is from the environment. */
  profile: string | undefined;
}

export interface Connection extends Service {
  client: AgentHosting;
}

/** A profile that is asked for goes before the key of the environment, which goes before the profile in use. */
export async function connect({ profile: asked, baseUrl: askedUrl }: Choice): Promise<Connection> {
  const { AGENT_HOSTING_API_KEY: key, AGENT_HOSTING_BASE_URL: url } = process.env;
  const saved = await readProfiles();
  if (asked === undefined && key) {
    // A key is sent nowhere but where it was meant for: not to the address of a profile.
    const baseUrl = addressOf(askedUrl ?? (url || defaultBaseUrl));
    return { client: agentHosting({ apiKey: key, baseUrl }), baseUrl, profile: undefined };
  }
  const name = asked ?? saved.current;
  const profile = profileOf(saved, name);
  if (!profile && asked !== undefined) throw unknownProfile(saved, asked);
  if (!profile) {
    throw new CommandFailure('There is no API key.', exitCodes.notAllowed, [
      'Run agent-hosting login, or set AGENT_HOSTING_API_KEY.',
    ]);
  }
  const baseUrl = addressOf(askedUrl ?? profile.baseUrl);
  return { client: agentHosting({ apiKey: profile.apiKey, baseUrl }), baseUrl, profile: name };
}

export function profileOf({ profiles }: Profiles, name: string) {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

export function unknownProfile({ profiles }: Profiles, name: string): CommandFailure {
  const known = Object.keys(profiles).join(', ') || 'none; agent-hosting login saves one';
  return new CommandFailure(
    `There is no profile '${name}'. There are: ${known}.`,
    exitCodes.notFound,
  );
}

/** The address as it will be used; what is no address is refused before anything is sent. */
export function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '') {
    return text.replace(/(\/v1)?\/*$/, '');
  }
  throw new CommandFailure(`'${text}' is no address of a service.`, exitCodes.usage, [
    'Write it like https://agents.example.com or http://127.0.0.1:3000.',
  ]);
}

/** Profiles: named pairs of a service URL and an API key, in a file that only its owner can read. */
import path from 'node:path';
import { configDirectory, parseJson, readPrivateFile, writePrivateFile } from './config-files.js';
import { CommandError, exitCodes } from './exit-codes.js';

export interface Profile {
  baseUrl: string;
  apiKey: string;
}

export interface Profiles {
  /** The name of the profile that is used by default. */
  current: string;
  profiles: Record<string, Profile>;
}

export function profilesFile(): string {
  return path.join(configDirectory(), 'profiles.json');
}

export async function readProfiles(): Promise<Profiles> {
  const file = profilesFile();
  const text = await readPrivateFile(file);
  if (text === undefined) return { current: 'default', profiles: {} };
  const value = parseJson(text);
  if (isProfiles(value)) return value;
  throw new CommandError(`${file} is damaged.`, undefined, ['Remove it and log in again.']);
}

export async function writeProfiles(profiles: Profiles): Promise<void> {
  await writePrivateFile(profilesFile(), `${JSON.stringify(profiles, null, 2)}\n`);
}

export function findProfile({ profiles }: Profiles, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

export function unknownProfileError({ profiles }: Profiles, name: string): CommandError {
  const known = Object.keys(profiles).join(', ') || 'none; agent-hosting login saves one';
  return new CommandError(
    `There is no profile '${name}'. Saved profiles: ${known}.`,
    exitCodes.notFound,
  );
}

function isProfiles(value: unknown): value is Profiles {
  return (
    isObject(value) &&
    typeof value['current'] === 'string' &&
    isObject(value['profiles']) &&
    Object.values(value['profiles']).every(isProfile)
  );
}

function isProfile(value: unknown): value is Profile {
  return (
    isObject(value) && typeof value['baseUrl'] === 'string' && typeof value['apiKey'] === 'string'
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

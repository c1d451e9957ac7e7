/** Remembers services and their keys by name, in a file that only its owner can read. */
import path from 'node:path';
import { configFolder, parsed, readPrivate, writePrivate } from './config-folder.js';
import { CommandFailure } from './exit-codes.js';

export interface Profile {
  baseUrl: string;
  apiKey: string;
}

export interface Profiles {
  /** The name of the one that is used unless another is asked for. */
  current: string;
  profiles: Record<string, Profile>;
}

export function profilesFile(): string {
  return path.join(configFolder(), 'profiles.json');
}

export async function readProfiles(): Promise<Profiles> {
  const file = profilesFile();
  const text = await readPrivate(file);
  if (text === undefined) return { current: 'default', profiles: {} };
  const value = parsed(text);
  if (isProfiles(value)) return value;
  throw new CommandFailure(`${file} is damaged.`, undefined, ['Remove it, and log in again.']);
}

export async function writeProfiles(profiles: Profiles): Promise<void> {
  await writePrivate(profilesFile(), `${JSON.stringify(profiles, null, 2)}\n`);
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

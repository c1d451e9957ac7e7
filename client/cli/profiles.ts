/** Remembers services and their keys by name, in a file that only its owner can read. */
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
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

export function profilesFile(env: NodeJS.ProcessEnv = process.env): string {
  const base = env['XDG_CONFIG_HOME'] ?? path.join(homedir(), '.config');
  return path.join(base, 'agent-hosting', 'profiles.json');
}

export async function readProfiles(): Promise<Profiles> {
  const file = profilesFile();
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new CommandFailure(`${file} cannot be read: ${String(error)}`);
  });
  if (text === undefined) return { current: 'default', profiles: {} };
  const value = parsed(text);
  if (isProfiles(value)) return value;
  throw new CommandFailure(`${file} is damaged; remove it and log in again.`);
}

/** The file appears whole or not at all, and was never readable for others. */
export async function writeProfiles(profiles: Profiles): Promise<void> {
  const file = profilesFile();
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, file);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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

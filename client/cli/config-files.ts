/** The configuration directory of the command line. Only the owner can read its files. */
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { CommandError } from './exit-codes.js';

export function configDirectory(): string {
  const { XDG_CONFIG_HOME: configHome = '' } = process.env;
  // The XDG specification says to ignore empty and relative paths.
  const base = path.isAbsolute(configHome) ? configHome : path.join(homedir(), '.config');
  return path.join(base, 'agent-hosting');
}

/** Undefined if the file does not exist. */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw fileError(file, 'read', error);
  }
}

/** Writes the file atomically; it is never readable by other users. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  const temporaryFile = `${file}.${process.pid}`;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await chmod(path.dirname(file), 0o700);
    // A killed process with the same id may have left one behind.
    await rm(temporaryFile, { force: true });
    const handle = await open(temporaryFile, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporaryFile, file);
  } catch (error) {
    await rm(temporaryFile, { force: true }).catch(() => undefined);
    throw fileError(file, 'written', error);
  }
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function fileError(file: string, action: string, error: unknown): CommandError {
  return new CommandError(`${file} cannot be ${action} (${String(errorCode(error))}).`);
}

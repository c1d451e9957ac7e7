/** The folder for what the command line remembers: nobody but its owner can look into it. */
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { CommandFailure } from './exit-codes.js';

export function configFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CONFIG_HOME: asked = '' } = env;
  // The XDG specification has empty and relative paths ignored.
  const base = path.isAbsolute(asked) ? asked : path.join(homedir(), '.config');
  return path.join(base, 'agent-hosting');
}

/** Undefined if there is no such file. */
export async function readPrivate(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw troubleWith(file, 'read', error);
  }
}

/** The file appears whole or not at all, and was never readable for others. */
export async function writePrivate(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await chmod(path.dirname(file), 0o700);
    // What lies there from a process that died is of no use, and may belong to another process id.
    await rm(draft, { force: true });
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw troubleWith(file, 'written', error);
  }
}

/** Undefined for what is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function troubleWith(file: string, what: string, error: unknown): CommandFailure {
  return new CommandFailure(`${file} cannot be ${what} (${String(codeOf(error))}).`);
}

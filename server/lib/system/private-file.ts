/** Files with secrets: only their owner can read them, and they appear complete or not at all. */
import { randomUUID } from 'node:crypto';
import { chown, type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../errors/error-code.js';

export interface PrivateFileOptions {
  /** Undefined: the user of the process. */
  owner?: { uid: number; gid: number } | undefined;
}

/** Does nothing if the file exists: of two processes that start at the same time both use that of the first. */
export function createPrivateFile(
  file: string,
  content: string,
  options?: PrivateFileOptions,
): Promise<void> {
  const fill = (handle: FileHandle) => handle.writeFile(content);
  return writeComplete(file, fill, options, async (temporaryFile) => {
    await link(temporaryFile, file).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  });
}

export function replacePrivateFile(file: string, content: string): Promise<void> {
  return fillPrivateFile(file, (handle) => handle.writeFile(content));
}

/** As `replacePrivateFile`, with a function that writes it, whose result is returned. */
export function fillPrivateFile<Result>(
  file: string,
  fill: (handle: FileHandle) => Promise<Result>,
): Promise<Result> {
  return writeComplete(file, fill, {}, async (temporaryFile) => {
    await rename(temporaryFile, file);
    await syncDirectory(path.dirname(file));
  });
}

/** Until its directory is on the disk too, a crash of the machine may undo the renaming. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeComplete<Result>(
  file: string,
  fill: (handle: FileHandle) => Promise<Result>,
  { owner }: PrivateFileOptions = {},
  publish: (temporaryFile: string) => Promise<void>,
): Promise<Result> {
  const temporaryFile = `${file}.partial-${randomUUID()}`;
  try {
    const handle = await open(temporaryFile, 'wx', 0o600);
    let result: Result;
    try {
      result = await fill(handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (owner) await chown(temporaryFile, owner.uid, owner.gid);
    await publish(temporaryFile);
    return result;
  } finally {
    await rm(temporaryFile, { force: true });
  }
}

/** What to do about a file or directory that users other than its owner can enter, read or change; undefined if there is nothing. */
export async function loosePermissions(file: string): Promise<string | undefined> {
  // Windows has no such modes, and reports the same for every file.
  if (process.platform === 'win32') return undefined;
  const found = await stat(file).catch(() => undefined);
  if (!found || (found.mode & 0o077) === 0) return undefined;
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  const fix = `chmod ${found.isDirectory() ? '0700' : '0600'} ${file}`;
  return `${file} has mode ${mode}, so that other users of this machine can get at it. Run: ${fix}`;
}

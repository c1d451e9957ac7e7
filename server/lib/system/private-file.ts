/** Writes files with secrets: only their owner can read them, and they are written completely or not at all. */
import { randomUUID } from 'node:crypto';
import { chown, type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../errors/error-code.js';

interface PrivateFileOptions {
  /** Default: the user of the process. */
  owner?: { uid: number; gid: number } | undefined;
}

/** Does nothing if the file exists, so that processes that start at the same time use the same file. */
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

/** Like `replacePrivateFile`, but `fill` writes the content. Returns the result of `fill`. */
export function fillPrivateFile<Result>(
  file: string,
  fill: (handle: FileHandle) => Promise<Result>,
): Promise<Result> {
  return writeComplete(file, fill, {}, async (temporaryFile) => {
    await rename(temporaryFile, file);
    await syncDirectory(path.dirname(file));
  });
}

/** A crash of the machine could undo the rename until the directory is synced too. */
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

/** Returns advice if users other than the owner can access the file or directory; undefined otherwise. */
export async function loosePermissions(file: string): Promise<string | undefined> {
  // Windows reports the same mode for every file.
  if (process.platform === 'win32') return undefined;
  const found = await stat(file).catch(() => undefined);
  if (!found || (found.mode & 0o077) === 0) return undefined;
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  const fix = `chmod ${found.isDirectory() ? '0700' : '0600'} ${file}`;
  return `${file} has mode ${mode}, so other users of this machine can access it. Run: ${fix}`;
}

/** Writes files with secrets: only their owner can read them, and they appear complete or not at all. */
import { randomUUID } from 'node:crypto';
import { chown, link, open, rename, rm } from 'node:fs/promises';
import { hasCode } from './error-code.js';

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
  return writeComplete(file, content, options, async (temporaryFile) => {
    await link(temporaryFile, file).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  });
}

export function replacePrivateFile(file: string, content: string): Promise<void> {
  return writeComplete(file, content, {}, (temporaryFile) => rename(temporaryFile, file));
}

async function writeComplete(
  file: string,
  content: string,
  { owner }: PrivateFileOptions = {},
  publish: (temporaryFile: string) => Promise<void>,
): Promise<void> {
  const temporaryFile = `${file}.partial-${randomUUID()}`;
  try {
    const handle = await open(temporaryFile, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (owner) await chown(temporaryFile, owner.uid, owner.gid);
    await publish(temporaryFile);
  } finally {
    await rm(temporaryFile, { force: true });
  }
}

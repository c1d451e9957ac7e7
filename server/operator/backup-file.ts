/** Reads and writes backup files. A file is written completely or not at all. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { type Readable, Writable } from 'node:stream';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import { errorCode, messageOf } from '../lib/errors/error-code.js';
import { fillPrivateFile } from '../lib/system/private-file.js';
import { standardInput, redirectedOutput } from '../lib/system/terminal.js';
import { CommandFailure } from './failure.js';

/** The file name that means standard output or input. */
export const STANDARD_STREAM = '-';

/** Fails early, before the database is read, if the file cannot be written. */
export async function assertWritable(file: string, { force }: { force: boolean }): Promise<void> {
  if (file === STANDARD_STREAM) {
    if (redirectedOutput() !== undefined) return;
    throw new CommandFailure(
      'A backup cannot be written to a terminal. Redirect it to a file or a program.',
    );
  }
  const existing = await stat(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw fileFailure(file, error);
  });
  if (existing?.isFile() === false) {
    const kind = existing.isDirectory() ? 'a directory' : 'not a file';
    throw new CommandFailure(`${file} is ${kind}. Name a file, or - for standard output.`);
  }
  if (existing && !force) {
    throw new CommandFailure(`${file} exists. Pass --force to replace it.`, [], exitCodes.conflict);
  }
}

/** Removes the incomplete file if `write` rejects. Only the file's owner can read it. */
export async function writeBackupFile<Result>(
  file: string,
  write: (output: Writable) => Promise<Result>,
): Promise<Result> {
  if (file === STANDARD_STREAM) {
    const output = redirectedOutput();
    if (output === undefined) throw new Error('Standard output is a terminal.');
    return write(output);
  }
  try {
    return await fillPrivateFile(file, (handle) => write(writableOn(handle)));
  } catch (error) {
    throw isFileError(error) ? fileFailure(file, error) : error;
  }
}

/** Unlike a stream from `fs`, it leaves the file open, so that it can be synced to disk before it is closed. */
function writableOn(handle: FileHandle): Writable {
  return new Writable({
    highWaterMark: 1024 ** 2,
    write: (chunk: Buffer, _encoding, done) => {
      handle.writeFile(chunk).then(() => {
        done();
      }, done);
    },
  });
}

interface BackupSource {
  /** Starts from the beginning. */
  open: () => Readable;
  /** False for standard input, which can only be read once. */
  isRepeatable: boolean;
}

export async function readBackupFile(file: string): Promise<BackupSource> {
  if (file === STANDARD_STREAM) return { open: standardInput, isRepeatable: false };
  try {
    // Before it is opened, which blocks on a pipe with a name.
    const found = await stat(file);
    if (!found.isFile()) {
      const kind = found.isDirectory() ? 'a directory' : 'not a regular file';
      throw new CommandFailure(`${file} is ${kind}. Name a backup file, or - for standard input.`);
    }
    await (await open(file)).close();
  } catch (error) {
    throw error instanceof CommandFailure ? error : fileFailure(file, error);
  }
  return { open: () => createReadStream(file, { highWaterMark: 1024 ** 2 }), isRepeatable: true };
}

/** Network errors have a syscall too, but also a port or an address. */
function isFileError(error: unknown): boolean {
  return (
    error instanceof Error && 'syscall' in error && !('port' in error) && !('address' in error)
  );
}

function fileFailure(file: string, cause: unknown): CommandFailure {
  return new CommandFailure(`${file}: ${describeFileError(cause)}.`);
}

function describeFileError(cause: unknown): string {
  switch (errorCode(cause)) {
    case 'ENOENT':
      return 'there is no such file or directory';
    case 'ENOTDIR':
      return 'part of its path is a file';
    case 'EACCES':
    case 'EPERM':
      return 'this user lacks permission';
    case 'EROFS':
      return 'the file system is read-only';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'there is no space left; no backup was written';
    default:
      return messageOf(cause);
  }
}

/** The file of a backup: written completely or not at all, and read from the beginning as often as needed. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { type Readable, Writable } from 'node:stream';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import { errorCode, messageOf } from '../lib/errors/error-code.js';
import { fillPrivateFile } from '../lib/system/private-file.js';
import { standardInput, standardOutput } from '../lib/system/terminal.js';
import { CommandFailure } from './failure.js';

/** Stands for standard output or input. */
export const STREAM = '-';

/** Throws a CommandFailure if nothing may be written there, before anything is read for it. */
export async function assertWritable(file: string, { force }: { force: boolean }): Promise<void> {
  if (file === STREAM) {
    if (standardOutput() !== undefined) return;
    throw new CommandFailure('A backup is not for the eyes: redirect it to a file or a program.');
  }
  const existing = await stat(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw explained(file, error);
  });
  if (existing?.isFile() === false) {
    const kind = existing.isDirectory() ? 'a directory' : 'not a file';
    throw new CommandFailure(`${file} is ${kind}. Name a file, or - for standard output.`);
  }
  if (existing && !force) {
    throw new CommandFailure(`${file} exists. Pass --force to replace it.`, [], exitCodes.conflict);
  }
}

/** What has been written when the work rejects is removed. Only its owner can read the file. */
export async function writeBackupFile<Result>(
  file: string,
  write: (output: Writable) => Promise<Result>,
): Promise<Result> {
  if (file === STREAM) {
    const output = standardOutput();
    if (output === undefined) throw new Error('Standard output is a terminal.');
    return write(output);
  }
  try {
    return await fillPrivateFile(file, (handle) => write(writableOn(handle)));
  } catch (error) {
    throw isFileError(error) ? explained(file, error) : error;
  }
}

/** A stream of Node's own would close the file before it is certain to be on the disk. */
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

export interface BackupSource {
  /** From the beginning. */
  open: () => Readable;
  /** False for standard input, which can be read once. */
  isRepeatable: boolean;
}

export async function readBackupFile(file: string): Promise<BackupSource> {
  if (file === STREAM) return { open: standardInput, isRepeatable: false };
  try {
    const handle = await open(file);
    const isDirectory = (await handle.stat()).isDirectory();
    await handle.close();
    if (isDirectory) throw new CommandFailure(`${file} is a directory. Name the file of a backup.`);
  } catch (error) {
    throw error instanceof CommandFailure ? error : explained(file, error);
  }
  return { open: () => createReadStream(file, { highWaterMark: 1024 ** 2 }), isRepeatable: true };
}

/** Of a file, whereas those of a connection have a port or an address. */
function isFileError(error: unknown): boolean {
  return (
    error instanceof Error && 'syscall' in error && !('port' in error) && !('address' in error)
  );
}

function explained(file: string, cause: unknown): CommandFailure {
  return new CommandFailure(`${file}: ${reason(cause)}.`);
}

function reason(cause: unknown): string {
  switch (errorCode(cause)) {
    case 'ENOENT':
      return 'there is no such file or directory';
    case 'ENOTDIR':
      return 'a part of its path is a file';
    case 'EACCES':
    case 'EPERM':
      return 'this user lacks the permission';
    case 'EROFS':
      return 'the file system is read-only';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'there is no space left; nothing of the backup was kept';
    default:
      return messageOf(cause);
  }
}

/** Creates the data directory, and says what to do where this user may not write in it. */
import { existsSync } from 'node:fs';
import { access, constants, mkdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { errorCode, messageOf } from './error-code.js';

export async function prepareDataDirectory(directory: string): Promise<void> {
  try {
    await createDirectory(directory);
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(
      `DATA_DIR is ${directory}, and the service cannot write there: ${reason(cause)}. ` +
        `${advice(cause, directory)}, or set DATABASE_URL to use a PostgreSQL of your own.`,
      { cause },
    );
  }
}

/** Not `recursive`: where the system denies a directory as missing, as in /proc, Node then tries forever. */
export async function createDirectory(directory: string): Promise<void> {
  if (existsSync(directory)) {
    if (!(await stat(directory)).isDirectory()) await mkdir(directory);
    return;
  }
  await createDirectory(path.dirname(directory));
  await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
}

function reason(cause: unknown): string {
  switch (errorCode(cause)) {
    case 'EACCES':
    case 'EPERM':
      return `the user ${userName()} lacks the permission`;
    case 'EROFS':
      return 'the file system is read-only';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'it, or a part of its path, is a file';
    default:
      return messageOf(cause);
  }
}

function advice(cause: unknown, directory: string): string {
  const other = 'set DATA_DIR to another directory';
  return errorCode(cause) === 'EACCES'
    ? `As an administrator run: install -d -m 0700 -o ${userName()} ${directory}; or ${other}`
    : other.replace('set', 'Set');
}

/** A container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}

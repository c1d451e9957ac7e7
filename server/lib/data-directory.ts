/** Creates the data directory, and says what to do where this user may not write in it. */
import { access, constants, mkdir } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { errorCode, messageOf } from './error-code.js';

export async function prepareDataDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(
      `DATA_DIR is ${directory}, and the service cannot write there: ${reason(cause)}. ` +
        `${advice(cause, directory)}, or set DATABASE_URL to use a PostgreSQL of your own.`,
      { cause },
    );
  }
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

/** Creates or finds the data directory. Errors tell the operator what to do if the current user cannot write to it. */
import { existsSync } from 'node:fs';
import { access, constants, mkdir, readdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { errorCode, hasCode, messageOf } from '../lib/errors/error-code.js';

export async function prepareDataDirectory(directory: string): Promise<void> {
  try {
    await createDirectory(directory);
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(
      `DATA_DIR is ${directory}, and the service cannot write there: ${reason(cause)}. ` +
        `${await advice(cause, directory)}, or set DATABASE_URL to use a PostgreSQL of your own.`,
      { cause },
    );
  }
}

/** Throws unless the current user can use the directory. Never creates it: a mistyped DATA_DIR must not become a directory. */
export async function assertDataDirectoryUsable(directory: string): Promise<void> {
  try {
    await readdir(directory);
    await access(directory, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const remedy = hasCode(cause, 'EACCES', 'EPERM')
      ? await adviseOwner(directory)
      : 'Set DATA_DIR to the directory of the service';
    throw new Error(
      `DATA_DIR is ${directory}, which cannot be used: ${reason(cause)}. ${remedy}, or set DATABASE_URL if the service has one.`,
      { cause },
    );
  }
}

/** Does not use `recursive`: in /proc, which reports new directories as missing, Node would retry forever. */
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
    case 'ENOENT':
      return 'there is no such directory';
    case 'EROFS':
      return 'the file system is read-only';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'it, or a part of its path, is a file';
    default:
      return messageOf(cause);
  }
}

async function advice(cause: unknown, directory: string): Promise<string> {
  const other = 'set DATA_DIR to another directory';
  if (errorCode(cause) !== 'EACCES') return other.replace('set', 'Set');
  // A new owner would lock out the service that may be using the directory, and PostgreSQL refuses to start on it.
  return (await isUnused(directory))
    ? `As an administrator run: install -d -m 0700 -o ${userName()} ${directory}; or ${other}`
    : `${await adviseOwner(directory)}, ${other}`;
}

/** True only if the directory is certainly empty or missing. An unreadable directory may contain anything. */
async function isUnused(directory: string): Promise<boolean> {
  const entries = await readdir(directory).catch((error: unknown) =>
    errorCode(error) === 'ENOENT' ? [] : undefined,
  );
  return entries?.length === 0;
}

async function adviseOwner(directory: string): Promise<string> {
  const uid = await stat(directory).then(
    (found) => found.uid,
    () => undefined,
  );
  if (uid !== undefined && uid === process.getuid?.()) return `Run: chmod 0700 ${directory}`;
  return `Run this as the user that it belongs to${uid === undefined ? '' : ` (id ${uid})`}`;
}

/** A container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}

/** Chooses the user that runs PostgreSQL: the current one, or an unprivileged one, since PostgreSQL refuses root. */
import { execFile } from 'node:child_process';
import { chmod, readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { firstInaccessibleDirectory, type User } from './directory-access.js';

export interface RunAs {
  user: User;
  /** The program that also drops groups and capabilities. Undefined: the system does not have it. */
  setpriv: string | undefined;
}

/** Undefined: PostgreSQL runs as the current user. */
export async function chooseRunAs(
  dataDir: string,
  /** The cluster's directory, if it exists. */
  cluster: string | undefined,
): Promise<RunAs | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  if (process.platform !== 'linux') {
    throw new Error(
      'PostgreSQL refuses to run as root. Start the service as an unprivileged user, or set DATABASE_URL.',
    );
  }
  const user = (await ownerOf(cluster)) ?? (await unprivilegedUser());
  await restrictDataDirectory(dataDir, user);
  return { user, setpriv: await findSetpriv(user) };
}

/** The setpriv arguments that drop all groups and capabilities, and prevent the program from gaining any. */
export function dropPrivileges({ uid, gid }: User): string[] {
  return [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=-all',
    '--ambient-caps=-all',
    '--bounding-set=-all',
    '--no-new-privs',
  ];
}

async function ownerOf(directory: string | undefined): Promise<User | undefined> {
  if (directory === undefined) return undefined;
  const { uid, gid } = await stat(directory);
  return uid === 0 ? undefined : { uid, gid };
}

// initdb requires a user with an entry in /etc/passwd, so an arbitrary id does not work.
async function unprivilegedUser(): Promise<User> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [, , uid, gid] = lines.find(([login]) => login === name) ?? [];
    if (Number(uid) > 0 && Number(gid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and the system has neither a user postgres nor a user nobody to run it as. ' +
      'Start the service as an unprivileged user, or set DATABASE_URL.',
  );
}

// PostgreSQL inherits an open descriptor of its directory (see launch.ts), from which `..` leads to the parents. If one of them, such
// as /root, is closed to its user, the data directory must be closed too, so that the user cannot reach the files next to it.
async function restrictDataDirectory(dataDir: string, user: User): Promise<void> {
  const closed = await firstInaccessibleDirectory(dataDir, user);
  if (closed === undefined || closed === dataDir) return;
  if ((await stat(dataDir)).uid === 0) await chmod(dataDir, 0o700);
}

// Tries the options, because BusyBox has a setpriv with fewer of them, and a container may forbid some.
async function findSetpriv(user: User): Promise<string | undefined> {
  for (const candidate of ['/usr/bin/setpriv', '/bin/setpriv']) {
    const args = [...dropPrivileges(user), candidate, '--version'];
    const works = await promisify(execFile)(candidate, args).then(
      () => true,
      () => false,
    );
    if (works) return candidate;
  }
  return undefined;
}

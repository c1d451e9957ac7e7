/** Chooses the user that runs PostgreSQL: the current one, or an unprivileged one, since PostgreSQL refuses root. */
import { execFile } from 'node:child_process';
import { chmod, readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { firstInaccessibleDirectory, type User } from './directory-access.js';

export interface RunAs {
  user: User;
  /** The program that also takes away what a change of the user leaves; undefined if the system has none. */
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
  await keepInside(dataDir, user);
  return { user, setpriv: await findSetpriv(user) };
}

/** The arguments of setpriv that leave a program no group, no capability, and no way to gain either. */
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

// PostgreSQL gets its directory open (see launch.ts), and `..` leads upwards from there. Where a directory such as /root is
// closed to its user, the data directory must be too, or what lies beside it would be within reach.
async function keepInside(dataDir: string, user: User): Promise<void> {
  const closed = await firstInaccessibleDirectory(dataDir, user);
  if (closed === undefined || closed === dataDir) return;
  if ((await stat(dataDir)).uid === 0) await chmod(dataDir, 0o700);
}

// Tried, because BusyBox has a setpriv with fewer options, and a container may forbid some of them.
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

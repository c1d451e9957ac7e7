/** Runs PostgreSQL's programs as the current user, or as an unprivileged one if that is root, which PostgreSQL refuses. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { chmod, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './problem.js';

export interface User {
  uid: number;
  gid: number;
}

export interface RunAs {
  user: User;
  /** The program that also drops groups and capabilities. Undefined: the system does not have it. */
  setpriv: string | undefined;
}

/** Undefined: PostgreSQL runs as the current user. */
export async function chooseRunAs(
  directory: string,
  /** The cluster's directory, if it exists. */
  cluster: string | undefined,
): Promise<RunAs | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  if (process.platform !== 'linux') {
    throw new EmbeddedPostgresError('is_root', 'PostgreSQL refuses to run as root.');
  }
  const user = (await ownerOf(cluster)) ?? (await unprivilegedUser());
  await restrictDirectory(directory, user);
  return { user, setpriv: await findSetpriv(user) };
}

export interface Program {
  file: string;
  /** The directory that contains the cluster's `data`. */
  directory: string;
  /** Called with the path at which the program finds that directory. */
  args: (directory: string) => string[];
  /** Receives both output streams. */
  output: number | 'pipe';
  runAs: RunAs | undefined;
}

const DIRECTORY_FD = 3;

export function launch({ file, directory, args, output, runAs }: Program): ChildProcess {
  const options = {
    cwd: '/',
    // The environment of this process may contain secrets that PostgreSQL does not need.
    env: {},
    // In its own process group: Ctrl-C signals only this program, which then stops PostgreSQL last.
    detached: true,
  };
  if (runAs === undefined) {
    return spawn(file, args(directory), { ...options, stdio: ['ignore', output, output] });
  }
  // The user may not be allowed to enter a parent directory, such as /root. The program therefore inherits an open descriptor of
  // the directory, and reaches it through /proc.
  const fd = openSync(directory, 'r');
  try {
    const stdio = ['ignore' as const, output, output, fd];
    const programArgs = args(`/proc/self/fd/${DIRECTORY_FD}`);
    const { user, setpriv } = runAs;
    return setpriv === undefined
      ? spawn(file, programArgs, { ...options, ...user, stdio })
      : spawn(setpriv, [...dropPrivileges(user), file, ...programArgs], { ...options, stdio });
  } finally {
    closeSync(fd);
  }
}

/** The setpriv arguments that drop all groups and capabilities, and prevent the program from gaining any. */
function dropPrivileges({ uid, gid }: User): string[] {
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
  throw new EmbeddedPostgresError(
    'is_root',
    'PostgreSQL refuses to run as root, and the system has neither a user postgres nor a user nobody to run it as.',
  );
}

// PostgreSQL inherits an open descriptor of its directory (see `launch`), from which `..` leads to the parents. If one of them, such
// as /root, is closed to its user, this directory must be closed too, so that the user cannot reach the files next to it.
async function restrictDirectory(directory: string, user: User): Promise<void> {
  const closed = await firstInaccessibleDirectory(directory, user);
  if (closed === undefined || closed === directory) return;
  if ((await stat(directory)).uid === 0) await chmod(directory, 0o700);
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

const SEARCH = 0o1;

/** Returns the first directory on the path to the file that the user may not search. Undefined: there is none. */
export async function firstInaccessibleDirectory(
  file: string,
  user: User,
): Promise<string | undefined> {
  const real = await realpath(file);
  const start = (await stat(real)).isDirectory() ? real : path.dirname(real);
  for (const directory of ancestors(start)) {
    if (!(await maySearch(directory, user))) return directory;
  }
  return undefined;
}

function ancestors(directory: string): string[] {
  const parent = path.dirname(directory);
  return parent === directory ? [directory] : [...ancestors(parent), directory];
}

async function maySearch(directory: string, user: User): Promise<boolean> {
  const { uid, gid, mode } = await stat(directory);
  if (uid === user.uid) return (mode & (SEARCH << 6)) !== 0;
  if (gid === user.gid) return (mode & (SEARCH << 3)) !== 0;
  return (mode & SEARCH) !== 0;
}

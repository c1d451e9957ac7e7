/** Decides as which user PostgreSQL runs: as ourselves, or, since it refuses root, as an unprivileged user of the system. */
import { readFile, stat } from 'node:fs/promises';
import { firstClosedDirectory, openToGroup, type User } from './reach.js';

export interface Launch {
  file: string;
  args: string[];
  user?: User;
}

export interface RunAs {
  /** The user who owns the cluster's files; undefined: ourselves. */
  user: User | undefined;
  launch(program: string, args: string[]): Launch;
}

interface Places {
  dataDir: string;
  /** The cluster's directory, if it exists already. */
  cluster: string | undefined;
  /** A program of PostgreSQL. */
  program: string;
}

const CAP_DAC_OVERRIDE = 1;
const CAP_DAC_READ_SEARCH = 2;

export async function chooseUser(places: Places): Promise<RunAs> {
  if (process.getuid?.() !== 0) {
    return { user: undefined, launch: (file, args) => ({ file, args }) };
  }
  const user = (await ownerOf(places.cluster)) ?? (await unprivilegedUser());
  await openToGroup(places.dataDir, user);
  const closed =
    (await firstClosedDirectory(places.dataDir, user)) ??
    (await firstClosedDirectory(places.program, user));
  if (closed === undefined) {
    return { user, launch: (file, args) => ({ file, args, user }) };
  }
  return { user, launch: await launchThroughClosedDirectories(user, closed) };
}

async function ownerOf(directory: string | undefined): Promise<User | undefined> {
  if (directory === undefined) return undefined;
  const { uid, gid } = await stat(directory);
  return uid === 0 ? undefined : { uid, gid };
}

// initdb insists on a user that the system knows, so a made-up number will not do.
async function unprivilegedUser(): Promise<User> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [, , uid, gid] = lines.find(([login]) => login === name) ?? [];
    if (Number(uid) > 0 && Number(gid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and the system has neither a user postgres nor a user nobody to run it as. ' +
      'Start the service as an ordinary user, or set DATABASE_URL.',
  );
}

// A clone under /root (mode 0700) is out of an ordinary user's reach. Rather than open somebody's home directory,
// PostgreSQL keeps the one capability that lets it pass through.
async function launchThroughClosedDirectories(
  user: User,
  closed: string,
): Promise<RunAs['launch']> {
  const capability = await passingCapability();
  const setpriv = await findSetpriv();
  if (capability === undefined || setpriv === undefined) {
    throw new Error(
      `The embedded PostgreSQL cannot run as root, and ${closed} is closed to the user (uid ${user.uid}) that would run it. ` +
        'Move the installation and DATA_DIR to a directory that others may enter, start the service as an ordinary user, or set DATABASE_URL.',
    );
  }
  const options = [
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    '--clear-groups',
    // Without it access(), with which PostgreSQL looks for its own programs, ignores the capability.
    '--securebits=+no_setuid_fixup',
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
  ];
  return (program, args) => ({ file: setpriv, args: [...options, program, ...args] });
}

async function passingCapability(): Promise<string | undefined> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  const has = (bit: number) => ((effective >> BigInt(bit)) & 1n) === 1n;
  if (has(CAP_DAC_READ_SEARCH)) return 'dac_read_search';
  return has(CAP_DAC_OVERRIDE) ? 'dac_override' : undefined;
}

async function findSetpriv(): Promise<string | undefined> {
  for (const candidate of ['/usr/bin/setpriv', '/bin/setpriv']) {
    const found = await stat(candidate).catch(() => undefined);
    if (found?.isFile() === true) return candidate;
  }
  return undefined;
}

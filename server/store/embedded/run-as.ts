/** Chooses the user that runs PostgreSQL: the current one, or an unprivileged one, since PostgreSQL refuses root. */
import { readFile, stat } from 'node:fs/promises';
import { firstInaccessibleDirectory, grantGroupAccess, type User } from './directory-access.js';

export interface Launch {
  file: string;
  args: string[];
  user?: User;
}

export interface RunAs {
  /** The owner of the cluster's files; undefined: the current user. */
  user: User | undefined;
  launch(program: string, args: string[]): Launch;
}

interface Paths {
  dataDir: string;
  /** The cluster's directory, if it exists. */
  cluster: string | undefined;
  /** A PostgreSQL binary. */
  program: string;
}

const CAP_DAC_OVERRIDE = 1;
const CAP_DAC_READ_SEARCH = 2;

export async function chooseRunAs({ dataDir, cluster, program }: Paths): Promise<RunAs> {
  if (process.getuid?.() !== 0) {
    return { user: undefined, launch: (file, args) => ({ file, args }) };
  }
  const user = (await ownerOf(cluster)) ?? (await unprivilegedUser());
  await grantGroupAccess(dataDir, user);
  const inaccessible =
    (await firstInaccessibleDirectory(dataDir, user)) ??
    (await firstInaccessibleDirectory(program, user));
  if (inaccessible === undefined) {
    return { user, launch: (file, args) => ({ file, args, user }) };
  }
  return { user, launch: await launchWithCapability(user, inaccessible) };
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

// An unprivileged user cannot reach a clone under /root (mode 0700). Instead of changing the mode of a home directory,
// PostgreSQL keeps the one capability that lets it traverse directories.
async function launchWithCapability(user: User, inaccessible: string): Promise<RunAs['launch']> {
  const capability = await traversalCapability();
  const setpriv = await findSetpriv();
  if (capability === undefined || setpriv === undefined) {
    throw new Error(
      `The embedded PostgreSQL cannot run as root, and the user (uid ${user.uid}) that would run it cannot enter ${inaccessible}. ` +
        'Move the installation and DATA_DIR to a directory that others may enter, start the service as an unprivileged user, or set DATABASE_URL.',
    );
  }
  const options = [
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    '--clear-groups',
    // Without it access(), which PostgreSQL uses to find its own binaries, ignores the capability.
    '--securebits=+no_setuid_fixup',
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
  ];
  return (program, args) => ({ file: setpriv, args: [...options, program, ...args] });
}

async function traversalCapability(): Promise<string | undefined> {
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

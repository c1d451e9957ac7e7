import { chmod, chown, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { root } from '../../scripts/lib/project.js';
import type { EmbeddedDatabase } from '../../server/embedded-postgres/embedded.js';
import { firstInaccessibleDirectory } from '../../server/embedded-postgres/run-as.js';
import {
  type EmbeddedDatabaseOptions,
  openEmbedded,
} from '../../server/process/embedded-database.js';
import { postgresOn } from '../helpers/database/data-directory.js';
import { query } from '../helpers/database/database.js';
import { type EmbeddedService, startEmbeddedService } from './embedded-service.js';
import { eventually } from '../helpers/eventually.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const isRoot = process.getuid?.() === 0;
const unprivilegedUser = { uid: 65_534, gid: 65_534 };

let parent: string;
let dataDir: string;
let running: (EmbeddedDatabase | EmbeddedService)[];

beforeEach(async () => {
  parent = await temporaryFolder();
  // PostgreSQL may have to run as another user, who needs access.
  await chmod(parent, 0o711);
  dataDir = path.join(parent, 'data');
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((each) => each.stop()));
});

/** In the test process. No test cuts the power, so fsync would prove nothing. */
async function start(options: Partial<EmbeddedDatabaseOptions> = {}): Promise<EmbeddedDatabase> {
  const embedded = await openEmbedded('start', { dataDir, durable: false, ...options });
  running.push(embedded);
  return embedded;
}

/** In a separate process, which a test can kill. */
async function launch(user?: typeof unprivilegedUser): Promise<EmbeddedService> {
  const service = await startEmbeddedService(dataDir, user && { user });
  running.push(service);
  return service;
}

const remember = (url: string) =>
  query(url, `CREATE TABLE remembered AS SELECT 'everything' AS what`);
const recall = async (url: string) =>
  (await query<{ what: string }>(url, 'SELECT what FROM remembered'))[0]?.what;
async function postmasterOf(directory: string): Promise<number> {
  const pid = await postgresOn(directory);
  if (pid === undefined) throw new Error(`No PostgreSQL runs on ${directory}.`);
  return pid;
}

const modeOf = async (...names: string[]) =>
  ((await stat(path.join(dataDir, ...names))).mode & 0o777).toString(8);

test('its write-ahead log stays small relative to its data', async () => {
  const { url, adminUrl } = await start();
  await query(url, 'CREATE TABLE written (number int)');
  // Each switch completes a file of 16 MB: 800 MB in all, below the default of PostgreSQL.
  for (let count = 0; count < 50; count += 1) {
    await query(url, `INSERT INTO written VALUES (${count})`);
    await query(adminUrl, 'SELECT pg_switch_wal()');
  }
  await eventually(async () => {
    const [row] = await query<{ megabytes: number }>(
      adminUrl,
      'SELECT sum(size)::float8 / 1024 ^ 2 AS megabytes FROM pg_ls_waldir()',
    );
    expect(row?.megabytes).toBeLessThan(400);
  });
}, 120_000);

test('it keeps its data across a restart, with private permissions, and the service is not a superuser', async () => {
  const first = await start({ durable: true });
  await remember(first.url);
  const [settings] = await query(
    first.url,
    `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
            current_setting('listen_addresses') AS listens, current_setting('TimeZone') AS zone,
            current_setting('server_encoding') AS encoding, current_setting('is_superuser') AS superuser`,
  );
  expect(settings).toEqual({
    fsync: 'on',
    commit: 'on',
    listens: '127.0.0.1',
    zone: 'UTC',
    encoding: 'UTF8',
    superuser: 'off',
  });
  const stranger = new URL(first.url);
  stranger.password = 'guess';
  await expect(query(stranger.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  await first.stop();

  const second = await start();
  expect(second.adopted).toBe(false);
  expect(await recall(second.url)).toBe('everything');
  expect(await readdir(dataDir)).toEqual(['postgres', 'postgres.log']);
  expect(await modeOf()).toBe('700');
  expect(await modeOf('postgres')).toBe('700');
  expect(await modeOf('postgres', 'password')).toBe('600');
  expect(await modeOf('postgres', 'superuser-password')).toBe('600');
  expect(await modeOf('postgres.log')).toBe('600');
});

describe("the superuser's password", () => {
  const asSuperuser = (embedded: EmbeddedDatabase, password: string) => {
    const url = new URL(embedded.adminUrl);
    url.password = password;
    return query(url.href, 'SELECT 1');
  };
  const passwordOf = async (file: string) =>
    (await readFile(path.join(dataDir, 'postgres', file), 'utf8')).trim();

  test('differs from that of the service', async () => {
    const embedded = await start();
    const { password } = new URL(embedded.url);
    await expect(asSuperuser(embedded, password)).rejects.toThrow(/password authentication failed/);
    expect(await passwordOf('superuser-password')).toBe(new URL(embedded.adminUrl).password);
    expect(await passwordOf('password')).toBe(password);
  });

  test('that does not match is explained', async () => {
    const embedded = await start();
    await embedded.stop();
    await writeFile(path.join(dataDir, 'postgres', 'superuser-password'), 'another\n');
    await expect(start()).rejects.toThrow(/superuser's password.*Restore/);
    expect(await postgresOn(dataDir)).toBeUndefined();
  });

  test('must be there: a directory without it is from before the first release', async () => {
    const embedded = await start();
    await embedded.stop();
    await rm(path.join(dataDir, 'postgres', 'superuser-password'));
    await expect(start()).rejects.toThrow(/one from before the first release/);
    expect(await postgresOn(dataDir)).toBeUndefined();
  });
});

describe('after kill -9', () => {
  test('of the service, the next one adopts its PostgreSQL with all data', async () => {
    const killed = await launch();
    await remember(killed.url);
    const postmaster = await postmasterOf(dataDir);
    await killed.kill();

    const next = await start();
    expect(next.adopted).toBe(true);
    expect(await postmasterOf(dataDir)).toBe(postmaster);
    expect(await recall(next.url)).toBe('everything');
    await next.stop();
    expect(await postgresOn(dataDir)).toBeUndefined();
  });

  test('of the service and of PostgreSQL, all committed data is there', async () => {
    const killed = await launch();
    await remember(killed.url);
    const postmaster = await postmasterOf(dataDir);
    await killed.kill();
    process.kill(postmaster, 'SIGKILL');

    const next = await start();
    expect(next.adopted).toBe(false);
    expect(await recall(next.url)).toBe('everything');
  });

  test('it starts even if its old process id belongs to another process', async () => {
    const first = await start();
    await remember(first.url);
    await first.stop();
    const lines = [process.pid, dataDir, 0, 5432, '', '127.0.0.1', '', 'ready'];
    await writeFile(path.join(dataDir, 'postgres', 'data', 'postmaster.pid'), lines.join('\n'));

    const next = await start();
    expect(next.adopted).toBe(false);
    expect(await recall(next.url)).toBe('everything');
  });

  test('of initdb halfway, its partial result is removed', async () => {
    const halfMade = path.join(dataDir, 'postgres.partial-2147483646');
    await mkdir(halfMade, { recursive: true });
    await start();
    expect(await readdir(dataDir)).toEqual(['postgres', 'postgres.log']);
  });
});

describe('a data directory is used by one service at a time', () => {
  test('the second is rejected, and the first continues', async () => {
    const first = await start();
    await remember(first.url);
    await expect(launch()).rejects.toThrow(/Another service is running on .*data.*DATA_DIR/);
    expect(await recall(first.url)).toBe('everything');
  });

  test('of several that start together on an empty directory, one wins', async () => {
    const outcomes = await Promise.allSettled([launch(), launch(), launch()]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(String(outcome.reason)).toMatch(/Another service is running/);
      }
    }
    expect(await readdir(dataDir)).toEqual(['postgres', 'postgres.log']);
  });
});

test('a PostgreSQL that exits at the moment when it is stopped causes no error', async () => {
  const embedded = await start();
  const kill = process.kill.bind(process);
  const spy = jest.spyOn(process, 'kill').mockImplementation((pid, signal) => {
    if (signal !== 'SIGINT') return kill(pid, signal);
    kill(pid, 'SIGINT');
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
  });
  try {
    await embedded.stop();
  } finally {
    spy.mockRestore();
  }
});

test('a PostgreSQL that dies is restarted at the same address', async () => {
  const said: string[] = [];
  const embedded = await start({ log: (message) => said.push(message) });
  await remember(embedded.url);
  const postmaster = await postmasterOf(dataDir);
  process.kill(postmaster, 'SIGKILL');
  await eventually(async () => {
    expect(await recall(embedded.url)).toBe('everything');
    expect(said.at(-1)).toBe('The embedded PostgreSQL was restarted.');
  });
  expect(await postmasterOf(dataDir)).not.toBe(postmaster);
  await expect(launch()).rejects.toThrow(/Another service is running/);
});

describe('an unusable cluster is explained:', () => {
  test('created by another major version', async () => {
    const pgdata = path.join(dataDir, 'postgres', 'data');
    await mkdir(pgdata, { recursive: true });
    await writeFile(path.join(pgdata, 'PG_VERSION'), '16\n');
    await expect(start()).rejects.toThrow(
      /PostgreSQL 16, but this release runs PostgreSQL 18.*Dump/,
    );
  });

  test('incomplete', async () => {
    await mkdir(path.join(dataDir, 'postgres', 'something'), { recursive: true });
    await expect(start()).rejects.toThrow(/contains no complete database.*backup/);
  });

  test("unable to start, with PostgreSQL's output", async () => {
    const first = await start();
    await first.stop();
    const config = path.join(dataDir, 'postgres', 'data', 'postgresql.conf');
    await writeFile(config, 'no_such_setting = 1\n');
    await expect(start()).rejects.toThrow(/did not start[^]*no_such_setting/);
  });
});

const canUseNobody =
  isRoot &&
  (await readFile('/etc/passwd', 'utf8')).includes('\nnobody:x:65534:65534:') &&
  (await firstInaccessibleDirectory(root, unprivilegedUser)) === undefined &&
  (await firstInaccessibleDirectory(process.execPath, unprivilegedUser)) === undefined;
const whenRoot = isRoot ? test : test.skip;
const whenUsersCanBeChanged = canUseNobody ? test : test.skip;

async function privilegesOf(pid: number): Promise<Record<string, string | undefined>> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const names = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'NoNewPrivs', 'Groups', 'Uid'];
  const read = (name: string) => new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, 'm').exec(status)?.[1];
  return Object.fromEntries(names.map((name) => [name, read(name)]));
}
const noCapability = '0000000000000000';
const none = {
  CapInh: noCapability,
  CapPrm: noCapability,
  CapEff: noCapability,
  CapBnd: noCapability,
  CapAmb: noCapability,
  NoNewPrivs: '1',
  Groups: '',
  Uid: expect.stringMatching(/^([1-9]\d*)\t\1\t\1\t\1$/),
};

describe('as root', () => {
  whenRoot('PostgreSQL runs as an ordinary user without any capability or group', async () => {
    await start();
    expect(await privilegesOf(await postmasterOf(dataDir))).toEqual(none);
  });

  whenRoot('also below a directory that other users cannot enter, which stays closed', async () => {
    await mkdir(dataDir, { mode: 0o755 });
    await chmod(parent, 0o700);
    const embedded = await start();
    await remember(embedded.url);
    expect(await privilegesOf(await postmasterOf(dataDir))).toEqual(none);
    expect((await stat(parent)).mode & 0o777).toBe(0o700);
    expect(await modeOf()).toBe('700');
    const [{ content } = { content: '' }] = await query<{ content: string }>(
      embedded.adminUrl,
      `SELECT pg_read_file('PG_VERSION') AS content`,
    );
    expect(content.trim()).toBe('18');
    const secret = path.join(parent, 'secret');
    await writeFile(secret, 'of root', { mode: 0o644 });
    await expect(query(embedded.adminUrl, `SELECT pg_read_file('${secret}')`)).rejects.toThrow(
      /Permission denied/,
    );
  });

  whenUsersCanBeChanged('it continues with the data of an ordinary user', async () => {
    await mkdir(dataDir);
    await chown(dataDir, unprivilegedUser.uid, unprivilegedUser.gid);
    const ordinary = await launch(unprivilegedUser);
    await remember(ordinary.url);
    await ordinary.stop();
    const asRoot = await start();
    expect(await recall(asRoot.url)).toBe('everything');
    expect((await stat(path.join(dataDir, 'postgres'))).uid).toBe(unprivilegedUser.uid);
  });
});

describe('as an ordinary user', () => {
  whenUsersCanBeChanged('it starts, keeps its data, and survives kill -9', async () => {
    await mkdir(dataDir);
    await chown(dataDir, unprivilegedUser.uid, unprivilegedUser.gid);
    const first = await launch(unprivilegedUser);
    await remember(first.url);
    await first.kill();
    const second = await launch(unprivilegedUser);
    expect(second.adopted).toBe(true);
    expect(await recall(second.url)).toBe('everything');
    await second.stop();
    const third = await launch(unprivilegedUser);
    expect(third.adopted).toBe(false);
    expect(await recall(third.url)).toBe('everything');
  });

  whenUsersCanBeChanged("another user's directory is rejected with instructions", async () => {
    const first = await start();
    await first.stop();
    await expect(launch(unprivilegedUser)).rejects.toThrow(
      /the user nobody lacks the permission\. Run this as the user that it belongs to \(id 0\)/,
    );
  });
});

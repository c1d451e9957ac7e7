import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  locateBinaries,
  reachableBinaries,
  restoreLinks,
} from '../../server/embedded-postgres/binaries.js';
import { isAlive, isServing, readPostmaster } from '../../server/embedded-postgres/postmaster.js';
import {
  chooseRunAs,
  firstInaccessibleDirectory,
  launch,
  type RunAs,
} from '../../server/embedded-postgres/run-as.js';
import { advised } from '../../server/process/embedded-database.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'embedded-parts-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('the programs of this platform are found', async () => {
  const { initdb, postgres } = await locateBinaries();
  expect((await stat(initdb)).isFile()).toBe(true);
  expect((await stat(postgres)).isFile()).toBe(true);
});

describe('the links that npm omits', () => {
  const list = (links: unknown) =>
    writeFile(path.join(folder, 'native', 'pg-symlinks.json'), JSON.stringify(links));

  beforeEach(() => mkdir(path.join(folder, 'native', 'lib'), { recursive: true }));

  test('are created, and existing ones are kept', async () => {
    await symlink('elsewhere', path.join(folder, 'native/lib/libpq.so'));
    await list([
      { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
      { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' },
    ]);
    await restoreLinks(folder);
    await restoreLinks(folder);
    expect(await readlink(path.join(folder, 'native/lib/libpq.so.5'))).toBe('libpq.so.5.18');
    expect(await readlink(path.join(folder, 'native/lib/libpq.so'))).toBe('elsewhere');
  });

  test('may also be none', async () => {
    await restoreLinks(folder);
  });

  test('that cannot be created are reported with instructions', async () => {
    await list([{ source: 'native/lib/a', target: 'native/nowhere/b' }]);
    await expect(advised(restoreLinks(folder))).rejects.toThrow(/npm rebuild.*DATABASE_URL/);
  });
});

const whenRoot = process.getuid?.() === 0 ? describe : describe.skip;

whenRoot('a process started by root', () => {
  const unprivilegedUser = { uid: 65_534, gid: 65_534 };
  const run = async (runAs: RunAs, ...[file, ...args]: [string, ...string[]]) => {
    const directory = path.join(folder, 'closed', 'cluster');
    const child = launch({
      file,
      directory,
      args: (path) => args.map((arg) => arg.replace('CLUSTER', path)),
      output: 'pipe',
      runAs,
    });
    const output = child.stdout ? await text(child.stdout) : '';
    return output.trim();
  };

  beforeEach(async () => {
    const cluster = path.join(folder, 'closed', 'cluster');
    await mkdir(cluster, { recursive: true });
    await writeFile(path.join(cluster, 'file'), 'its own', { mode: 0o600 });
    await writeFile(path.join(folder, 'closed', 'beside'), 'not its own', { mode: 0o644 });
    for (const own of [cluster, path.join(cluster, 'file')])
      await chown(own, unprivilegedUser.uid, 65_534);
    await chmod(folder, 0o700);
  });

  test.each([
    ['with setpriv', false],
    ['without it', true],
  ])('reaches its directory below a closed one, and nothing else, %s', async (_, plain) => {
    const chosen = await chooseRunAs(path.join(folder, 'closed'), undefined);
    const runAs = { user: unprivilegedUser, setpriv: plain ? undefined : chosen?.setpriv };
    expect(await run(runAs, '/bin/cat', 'CLUSTER/file')).toBe('its own');
    expect(await run(runAs, '/bin/cat', 'CLUSTER/../beside')).toBe('');
    expect(await run(runAs, '/bin/cat', path.join(folder, 'closed', 'beside'))).toBe('');
    expect(await run(runAs, '/usr/bin/env')).toBe('');
  });

  test('gets a copy of binaries that its user cannot reach, created once and readable', async () => {
    const bin = path.join(folder, 'package', 'native', 'bin');
    await mkdir(bin, { recursive: true, mode: 0o700 });
    await writeFile(
      path.join(folder, 'package', 'package.json'),
      '{"name":"@scope/linux","version":"1.2.3"}',
    );
    await writeFile(path.join(bin, 'postgres'), 'first', { mode: 0o700 });
    await writeFile(path.join(bin, 'initdb'), 'first', { mode: 0o700 });
    const cache = path.join(folder, 'cache');
    const binaries = { initdb: path.join(bin, 'initdb'), postgres: path.join(bin, 'postgres') };
    const copy = await reachableBinaries(binaries, unprivilegedUser, cache);
    expect(copy).toEqual({
      initdb: path.join(cache, 'linux-1.2.3', 'bin', 'initdb'),
      postgres: path.join(cache, 'linux-1.2.3', 'bin', 'postgres'),
    });
    expect((await stat(copy.postgres)).mode & 0o777).toBe(0o755);
    expect((await stat(path.dirname(copy.postgres))).mode & 0o777).toBe(0o755);
    await writeFile(binaries.postgres, 'second');
    await reachableBinaries(binaries, unprivilegedUser, cache);
    expect(await readFile(copy.postgres, 'utf8')).toBe('first');
    expect(await readdir(cache)).toEqual(['linux-1.2.3']);
    expect(await reachableBinaries(binaries, undefined, cache)).toBe(binaries);

    await chmod(cache, 0o777);
    const copied = reachableBinaries(binaries, unprivilegedUser, cache);
    await expect(advised(copied)).rejects.toThrow(
      /users other than root can write to it.*DATABASE_URL/,
    );
  });
});

describe("PostgreSQL's postmaster.pid", () => {
  const write = (content: string) => writeFile(path.join(folder, 'postmaster.pid'), content);

  test.each([
    ['ready   ', 'ready'],
    ['starting', 'starting'],
    ['stopping', 'stopping'],
  ])('with the word %j', async (word, status) => {
    await write(`4711\n/data\n1700000000\n54321\n\n127.0.0.1\n  123 456\n${word}\n`);
    expect(await readPostmaster(folder)).toEqual({ pid: 4711, port: 54321, status });
  });

  test('that is incomplete counts as starting', async () => {
    await write('4711\n/data\n');
    expect(await readPostmaster(folder)).toMatchObject({ pid: 4711, status: 'starting' });
  });

  test.each(['', 'nonsense', '-1\n'])('that contains %j is ignored', async (content) => {
    await write(content);
    expect(await readPostmaster(folder)).toBeUndefined();
  });

  test('that is missing is ignored', async () => {
    expect(await readPostmaster(folder)).toBeUndefined();
  });
});

describe('a process id', () => {
  test('of another program is not PostgreSQL', async () => {
    expect(isAlive(process.pid)).toBe(true);
    expect(await isServing(process.pid, folder)).toBe(false);
  });

  test('of an ended process is ignored', async () => {
    const ended = spawn('true');
    await once(ended, 'exit');
    expect(await isServing(ended.pid ?? 0, folder)).toBe(false);
  });
});

describe('the path to a file', () => {
  const stranger = { uid: 54_321, gid: 54_321 };

  test('is accessible if every user may enter its directories', async () => {
    await chmod(folder, 0o711);
    expect(await firstInaccessibleDirectory(folder, stranger)).toBeUndefined();
  });

  test('is blocked by the first directory that only its owner may enter', async () => {
    await chmod(folder, 0o700);
    const inner = path.join(folder, 'a', 'b');
    await mkdir(inner, { recursive: true });
    expect(await firstInaccessibleDirectory(inner, stranger)).toBe(folder);
    const { uid, gid } = await stat(folder);
    expect(await firstInaccessibleDirectory(inner, { uid, gid })).toBeUndefined();
  });

  test('is accessible to the group if the group may enter', async () => {
    await chmod(folder, 0o710);
    const { gid } = await stat(folder);
    expect(await firstInaccessibleDirectory(folder, { uid: stranger.uid, gid })).toBeUndefined();
    expect(await firstInaccessibleDirectory(folder, stranger)).toBe(folder);
  });
});

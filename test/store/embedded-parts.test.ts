import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { locateBinaries, restoreLinks } from '../../server/store/embedded/binaries.js';
import { isAlive, isServing, readPostmaster } from '../../server/store/embedded/postmaster.js';
import { firstInaccessibleDirectory } from '../../server/store/embedded/directory-access.js';
import { chooseRunAs } from '../../server/store/embedded/run-as.js';

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

describe('the links that npm leaves out', () => {
  const list = (links: unknown) =>
    writeFile(path.join(folder, 'native', 'pg-symlinks.json'), JSON.stringify(links));

  beforeEach(() => mkdir(path.join(folder, 'native', 'lib'), { recursive: true }));

  test('are made, and those that are there are left alone', async () => {
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

  test('that cannot be made are reported with what to do', async () => {
    await list([{ source: 'native/lib/a', target: 'native/nowhere/b' }]);
    await expect(restoreLinks(folder)).rejects.toThrow(/npm rebuild.*DATABASE_URL/);
  });
});

(process.getuid?.() === 0 ? test : test.skip)(
  'what root starts gets through closed directories, also where it only asks whether it would',
  async () => {
    const dataDir = path.join(folder, 'closed', 'data');
    await mkdir(dataDir, { recursive: true });
    await chmod(folder, 0o700);
    const file = path.join(folder, 'closed', 'file');
    await writeFile(file, '', { mode: 0o755 });
    const runAs = await chooseRunAs({ dataDir, cluster: undefined, program: file });
    for (const [program, ...args] of [
      ['cat', file],
      ['test', '-x', file],
    ] as const) {
      const { file: command, args: given, user } = runAs.launch(program, args);
      await promisify(execFile)(command, given, { ...user });
    }
    const { file: command, args, user } = runAs.launch('id', ['-u']);
    const { stdout } = await promisify(execFile)(command, args, { ...user });
    expect(Number(stdout)).toBe(runAs.user?.uid);
    expect(Number(stdout)).toBeGreaterThan(0);
  },
);

describe("PostgreSQL's own file about itself", () => {
  const write = (text: string) => writeFile(path.join(folder, 'postmaster.pid'), text);

  test.each([
    ['ready   ', 'ready'],
    ['starting', 'starting'],
    ['stopping', 'stopping'],
  ])('with the word %j', async (word, status) => {
    await write(`4711\n/data\n1700000000\n54321\n\n127.0.0.1\n  123 456\n${word}\n`);
    expect(await readPostmaster(folder)).toEqual({ pid: 4711, port: 54321, status });
  });

  test('that is only begun counts as starting', async () => {
    await write('4711\n/data\n');
    expect(await readPostmaster(folder)).toMatchObject({ pid: 4711, status: 'starting' });
  });

  test.each(['', 'nonsense', '-1\n'])('that holds %j says nothing', async (text) => {
    await write(text);
    expect(await readPostmaster(folder)).toBeUndefined();
  });

  test('that is not there says nothing', async () => {
    expect(await readPostmaster(folder)).toBeUndefined();
  });
});

describe('a process number', () => {
  test('of another program is no PostgreSQL', async () => {
    expect(isAlive(process.pid)).toBe(true);
    expect(await isServing(process.pid, folder)).toBe(false);
  });

  test('of a process that has ended is nothing', async () => {
    const ended = spawn('true');
    await once(ended, 'exit');
    expect(await isServing(ended.pid ?? 0, folder)).toBe(false);
  });
});

describe('the way to a file', () => {
  const stranger = { uid: 54_321, gid: 54_321 };

  test('is open if everybody may pass', async () => {
    await chmod(folder, 0o711);
    expect(await firstInaccessibleDirectory(folder, stranger)).toBeUndefined();
  });

  test('is closed by the first directory that only its owner may enter', async () => {
    await chmod(folder, 0o700);
    const inner = path.join(folder, 'a', 'b');
    await mkdir(inner, { recursive: true });
    expect(await firstInaccessibleDirectory(inner, stranger)).toBe(folder);
    const { uid, gid } = await stat(folder);
    expect(await firstInaccessibleDirectory(inner, { uid, gid })).toBeUndefined();
  });

  test('is open to the group if the group may pass', async () => {
    await chmod(folder, 0o710);
    const { gid } = await stat(folder);
    expect(await firstInaccessibleDirectory(folder, { uid: stranger.uid, gid })).toBeUndefined();
    expect(await firstInaccessibleDirectory(folder, stranger)).toBe(folder);
  });
});

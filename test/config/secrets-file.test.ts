import { randomBytes } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { findLoosePermissions, loadSecretsKeys } from '../../server/config/secrets-file.js';

let parent: string;
let dataDir: string;

beforeEach(async () => {
  parent = await mkdtemp(path.join(os.tmpdir(), 'secrets-file-'));
  dataDir = path.join(parent, 'data');
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const loadAll = (previousSecretsKeys: Buffer[] = []) =>
  loadSecretsKeys({ secretsKey: undefined, previousSecretsKeys, dataDir });
const load = async () => (await loadAll()).current;
const file = () => path.join(dataDir, 'secrets.key');

test('a key from the environment is used, and none is written to the file', async () => {
  const secretsKey = randomBytes(32);
  const previousSecretsKeys = [randomBytes(32)];
  expect(await loadSecretsKeys({ secretsKey, previousSecretsKeys, dataDir })).toEqual({
    current: secretsKey,
    previous: previousSecretsKeys,
  });
  expect(await readdir(parent)).toEqual([]);
});

test('the first start creates a key that only its user can read, and later starts use it', async () => {
  const first = await load();
  expect(first).toHaveLength(32);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  expect(await readdir(dataDir)).toEqual(['secrets.key']);
  expect((await load()).equals(first)).toBe(true);
});

test('a previous key may be stored next to it', async () => {
  const first = await load();
  await rename(file(), `${file()}.previous`);
  const second = randomBytes(32);
  await writeFile(file(), `${second.toString('base64')}\n`);
  const third = randomBytes(32);
  expect(await loadAll([third])).toEqual({ current: second, previous: [third, first] });
});

test('services that start together agree on one key', async () => {
  const keys = await Promise.all(Array.from({ length: 10 }, load));
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
});

test('a directory or key that other users can read is reported with the command that fixes it', async () => {
  await load();
  await writeFile(`${file()}.previous`, '', { mode: 0o600 });
  expect(await findLoosePermissions(dataDir)).toEqual([]);
  await chmod(dataDir, 0o755);
  await chmod(file(), 0o640);
  await chmod(`${file()}.previous`, 0o604);
  const reason = 'so other users of this machine can access it';
  expect(await findLoosePermissions(dataDir)).toEqual([
    `${dataDir} has mode 0755, ${reason}. Run: chmod 0700 ${dataDir}`,
    `${file()} has mode 0640, ${reason}. Run: chmod 0600 ${file()}`,
    `${file()}.previous has mode 0604, ${reason}. Run: chmod 0600 ${file()}.previous`,
  ]);
});

describe('the start is refused', () => {
  test.each(['', 'not base64!', randomBytes(31).toString('base64')])(
    'when the file holds %j',
    async (text) => {
      await load();
      await writeFile(file(), text);
      await expect(load()).rejects.toThrow(/secrets\.key is damaged.*backup/);
      expect(await readFile(file(), 'utf8')).toBe(text);
    },
  );

  test('when the file cannot be read', async () => {
    await mkdir(file(), { recursive: true });
    await chmod(dataDir, 0o700);
    await expect(load()).rejects.toThrow(/cannot be read.*SECRETS_KEY/);
  });

  test('when the file is missing but data that needs it exists', async () => {
    await mkdir(path.join(dataDir, 'postgres'), { recursive: true });
    await expect(load()).rejects.toThrow(/is missing.*Restore/);
    expect(await readdir(dataDir)).toEqual(['postgres']);
  });
});

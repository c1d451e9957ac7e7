/** What the command line remembers: where, for whose eyes, and whole or not at all. */
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { configFolder, writePrivate } from '../../client/cli/config-folder.js';
import { forgetEnding, readEndings, rememberEnding } from '../../client/cli/endings.js';
import { readProfiles } from '../../client/cli/profiles.js';
import { temporaryFolder } from '../helpers/workspace.js';

const { XDG_CONFIG_HOME: before } = process.env;
let folder: string;

beforeEach(async () => {
  const home = await temporaryFolder();
  process.env['XDG_CONFIG_HOME'] = home;
  folder = path.join(home, 'agent-hosting');
});

afterEach(() => {
  if (before === undefined) delete process.env['XDG_CONFIG_HOME'];
  else process.env['XDG_CONFIG_HOME'] = before;
});

async function modeOf(file: string): Promise<number> {
  return (await stat(file)).mode & 0o777;
}

test.each([
  [{}, path.join(homedir(), '.config/agent-hosting')],
  [{ XDG_CONFIG_HOME: '' }, path.join(homedir(), '.config/agent-hosting')],
  [{ XDG_CONFIG_HOME: 'relative' }, path.join(homedir(), '.config/agent-hosting')],
  [{ XDG_CONFIG_HOME: '/etc/me' }, '/etc/me/agent-hosting'],
])('with %j the folder is %s', (env, expected) => {
  expect(configFolder(env)).toBe(expected);
});

describe('a private file', () => {
  test('is for its owner alone, also where folder and file were open before', async () => {
    await mkdir(folder);
    await chmod(folder, 0o755);
    const file = path.join(folder, 'profiles.json');
    await writeFile(file, 'old', { mode: 0o644 });
    await writePrivate(file, 'new');
    expect(await modeOf(file)).toBe(0o600);
    expect(await modeOf(folder)).toBe(0o700);
    expect(await readFile(file, 'utf8')).toBe('new');
    expect(await readdir(folder)).toEqual(['profiles.json']);
  });

  test('that cannot be written leaves nothing behind, and is named', async () => {
    const file = path.join(folder, 'taken');
    await mkdir(path.join(file, 'inside'), { recursive: true });
    await expect(writePrivate(file, 'text')).rejects.toThrow(`${file} cannot be written (`);
    expect(await readdir(folder)).toEqual(['taken']);
  });

  test('that is damaged says what to do', async () => {
    await writePrivate(path.join(folder, 'profiles.json'), '{"current": 5');
    await expect(readProfiles()).rejects.toMatchObject({
      message: `${path.join(folder, 'profiles.json')} is damaged.`,
      hints: ['Remove it, and log in again.'],
    });
  });
});

describe('keys that are to end', () => {
  test('are remembered for their service, until they are forgotten', async () => {
    const due = '2026-11-02T00:00:00.000Z';
    await rememberEnding('key_1', 'https://one.example', due);
    await rememberEnding('key_2', 'https://two.example', due);
    await writeFile(path.join(folder, 'ending-keys/damaged.json'), '{');
    expect([...(await readEndings('https://one.example'))]).toEqual([['key_1', due]]);
    await forgetEnding('key_1');
    expect([...(await readEndings('https://one.example'))]).toEqual([]);
  });

  test('lead to no other folder, whatever the service calls them', async () => {
    await rememberEnding('../../escaped', 'https://one.example', '2026-11-02T00:00:00.000Z');
    expect(await readdir(folder)).toEqual(['ending-keys']);
    expect(await readdir(path.join(folder, 'ending-keys'))).toHaveLength(1);
  });
});

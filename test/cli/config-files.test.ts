/** The configuration files of the command line: their location, their permissions, and atomic writes. */
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { configDirectory, writePrivateFile } from '../../client/cli/config-files.js';
import { readProfiles } from '../../client/cli/profiles.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const { XDG_CONFIG_HOME: before } = process.env;
let folder: string;

beforeEach(async () => {
  const home = await temporaryFolder();
  setConfigHome(home);
  folder = path.join(home, 'agent-hosting');
});

afterEach(() => {
  setConfigHome(before);
});

function setConfigHome(value: string | undefined): void {
  if (value === undefined) delete process.env['XDG_CONFIG_HOME'];
  else process.env['XDG_CONFIG_HOME'] = value;
}

async function modeOf(file: string): Promise<number> {
  return (await stat(file)).mode & 0o777;
}

test.each([
  [undefined, path.join(homedir(), '.config/agent-hosting')],
  ['', path.join(homedir(), '.config/agent-hosting')],
  ['relative', path.join(homedir(), '.config/agent-hosting')],
  ['/etc/me', '/etc/me/agent-hosting'],
])('with %j as XDG_CONFIG_HOME the directory is %s', (value, expected) => {
  setConfigHome(value);
  expect(configDirectory()).toBe(expected);
});

describe('a private file', () => {
  test('is readable by its owner only, even if directory and file were readable by others before', async () => {
    await mkdir(folder);
    await chmod(folder, 0o755);
    const file = path.join(folder, 'profiles.json');
    await writeFile(file, 'old', { mode: 0o644 });
    await writePrivateFile(file, 'new');
    expect(await modeOf(file)).toBe(0o600);
    expect(await modeOf(folder)).toBe(0o700);
    expect(await readFile(file, 'utf8')).toBe('new');
    expect(await readdir(folder)).toEqual(['profiles.json']);
  });

  test('that cannot be written is named in the error, and leaves no temporary file', async () => {
    const file = path.join(folder, 'taken');
    await mkdir(path.join(file, 'inside'), { recursive: true });
    await expect(writePrivateFile(file, 'text')).rejects.toThrow(`${file} cannot be written (`);
    expect(await readdir(folder)).toEqual(['taken']);
  });

  test('that is damaged causes an error that says what to do', async () => {
    await writePrivateFile(path.join(folder, 'profiles.json'), '{"current": 5');
    await expect(readProfiles()).rejects.toMatchObject({
      message: `${path.join(folder, 'profiles.json')} is damaged.`,
      hints: ['Remove it and log in again.'],
    });
  });
});

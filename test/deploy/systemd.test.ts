/** The unit of systemd: valid, hardened, and with settings that the service has. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../helpers/workspace.js';
import { deploy, knownSettings, run, testWith } from './tools.js';

const file = path.join(deploy, 'systemd/agent-hosting.service');
const unit = await readFile(file, 'utf8');
const valueOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

/** With the Node of this machine, wherever that is. */
async function here(): Promise<string> {
  const copy = path.join(await temporaryFolder(), 'agent-hosting.service');
  await writeFile(copy, unit.replace('/usr/bin/node', process.execPath));
  return copy;
}

describe('the unit', () => {
  test('sets variables that the service has', async () => {
    const known = await knownSettings();
    const names = [...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name);
    expect(names).toContain('DATA_DIR');
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  test('gives the service time to end, and starts it again', () => {
    expect(Number(valueOf('TimeoutStopSec'))).toBeGreaterThan(15);
    expect(valueOf('Restart')).toBe('always');
    expect(valueOf('ExecStart')).toMatch(/ dist\/server\/main\.js$/);
  });

  testWith(['systemd-analyze', '--version'])('is what systemd accepts', async () => {
    expect(run('systemd-analyze', ['verify', await here()])).toEqual({ code: 0, output: '' });
  });

  testWith(['systemd-analyze', 'security', '--offline=true', file])(
    'is exposed by less than 2 of 10, in the eyes of systemd',
    async () => {
      const args = ['security', '--offline=true', '--threshold=20', await here()];
      expect(run('systemd-analyze', args)).toMatchObject({ code: 0 });
    },
  );
});

/** The systemd unit: valid, hardened, and with settings that the service knows. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../helpers/programs/workspace.js';
import { deploy, knownSettings, run, testWith } from './tools.js';

const file = path.join(deploy, 'systemd/agent-hosting.service');
const unit = await readFile(file, 'utf8');
const valueOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

/** Uses the Node binary of this machine. */
async function unitWithLocalNode(): Promise<string> {
  const copy = path.join(await temporaryFolder(), 'agent-hosting.service');
  await writeFile(copy, unit.replace('/usr/bin/node', process.execPath));
  return copy;
}

describe('the unit', () => {
  test('sets only variables that the service knows', async () => {
    const known = await knownSettings();
    const names = [...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name);
    expect(names).toContain('DATA_DIR');
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  test('gives the service time to stop, and restarts it after a failure', () => {
    expect(Number(valueOf('TimeoutStopSec'))).toBeGreaterThan(15);
    expect(valueOf('Restart')).toBe('always');
    expect(valueOf('ExecStart')).toMatch(/ dist\/server\/main\.js$/);
  });

  testWith(['systemd-analyze', '--version'])('is accepted by systemd', async () => {
    expect(run('systemd-analyze', ['verify', await unitWithLocalNode()])).toEqual({
      code: 0,
      output: '',
    });
  });

  testWith(['systemd-analyze', 'security', '--offline=true', file])(
    'has an exposure level below 2 of 10, as rated by systemd',
    async () => {
      const args = ['security', '--offline=true', '--threshold=20', await unitWithLocalNode()];
      expect(run('systemd-analyze', args)).toMatchObject({ code: 0 });
    },
  );
});

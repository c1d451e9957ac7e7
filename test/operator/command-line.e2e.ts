/** The operator's command line: exit codes and tables on a terminal, as in the client's. */
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { shellQuote } from '../../client/cli/shell-quote.js';
import { builtPrograms } from '../helpers/programs/built-project.js';
import { operatorProcess } from '../helpers/service/operator.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';
import { environmentFor, useService, useTenant } from '../helpers/service/service.js';

const timeoutMs = 120_000;
const service = useService();
const tenant = useTenant(service, { isOnlyAccount: true });
const operator = operatorProcess(() => environmentFor(service));

describe('exit codes', () => {
  test.each([
    [2, ['agents', 'list', '--colour']],
    [2, ['accounts', 'set-tier', 'tenant-1', 'gold']],
    [4, ['agents', 'stop', 'none']],
    [4, ['keys', 'revoke', 'key_none', '--yes']],
    [5, ['accounts', 'create', 'tenant-1']],
  ])(
    '%d for %j',
    async (code, args) => {
      expect((await operator.run(args)).code).toBe(code);
    },
    timeoutMs,
  );

  test(
    '6 for an unreachable database',
    async () => {
      const away = {
        ...environmentFor(service),
        DATABASE_URL: 'postgresql://a:b@127.0.0.1:9/none',
      };
      const { code, stderr } = await operatorProcess(() => away).run(['agents', 'list']);
      expect([code, stderr]).toEqual([6, expect.stringMatching(/^Cannot open the database at/)]);
    },
    timeoutMs,
  );
});

describe('a manifest', () => {
  const manifest = 'name: piped\nmodel: builtin/echo\n';

  test(
    'in a pipe with a name or a device is refused at once',
    async () => {
      const pipe = path.join(await temporaryFolder(), 'agent.yaml');
      execFileSync('mkfifo', [pipe]);
      for (const [code, verb, file] of [
        [2, 'diff', pipe],
        [2, 'apply', pipe],
        [2, 'diff', '/dev/zero'],
      ] as const) {
        expect(await operator.run(['agents', verb, '-f', file])).toEqual({
          code,
          stdout: '',
          stderr: `${file} is not a regular file. Name a file, or - for standard input.\n`,
        });
      }
      const restored = await operator.run(['restore', pipe]);
      expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining('not a regular') });
    },
    timeoutMs,
  );

  test(
    'may come from another command through the shell',
    async () => {
      const diff = `${shellQuote(process.execPath)} "$OPERATOR" agents diff`;
      const source = `printf ${shellQuote(manifest)}`;
      const added = 'piped (new):\n  + model: builtin/echo\n';
      expect(await bash(`${diff} -f <(${source}) || :`)).toContain(added);
      expect(await bash(`${source} | ${diff} -f /dev/stdin || :`)).toContain(added);
    },
    timeoutMs,
  );
});

const bash = async (script: string) =>
  execFileSync('bash', ['--norc', '-c', script], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      ...environmentFor(service),
      OPERATOR: path.join(await builtPrograms(), 'server/operator/main.js'),
    },
  });

const canOpenTerminals =
  process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

(canOpenTerminals ? test : test.skip)(
  'a table on a terminal fits it, with bold titles and times relative to now',
  async () => {
    await tenant.newKey({
      name: 'a key with a very long name '.repeat(3),
      expiresAt: new Date(Date.now() + 5_400_000),
    });
    const node = shellQuote(process.execPath);
    const line = `stty cols 90 rows 40; exec ${node} "$OPERATOR" keys list`;
    const output = await bash(`TERM=xterm-256color script -qfec ${shellQuote(line)} /dev/null`);
    const plain = stripVTControlCharacters(output).trimEnd();
    expect(output).toContain('\u001b[1mID\u001b[22m');
    expect(plain).toMatch(/ a key w[^\n]*… .* in 1h\r?\n/);
    for (const row of plain.split(/\r?\n/)) expect(row.length).toBeLessThanOrEqual(90);
  },
  timeoutMs,
);

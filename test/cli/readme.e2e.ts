/** Every command in docs/cli.md prints what the page shows. */
import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { root } from '../helpers/programs/workspace.js';
import { useService } from './set-up.js';
import { useShell } from './shell.js';

interface Step {
  command: string;
  printed: string;
}

/** The URL on the page; replaced by the URL of the test service. */
const documentedUrl = 'http://127.0.0.1:3000';

const service = useService();
const shell = useShell();

beforeAll(async () => {
  const tenant = await service.tenant();
  await tenant.newAgent({ name: 'echo' });
  await writeFile(path.join(shell.home, 'key.txt'), tenant.key);
  const program = path.join(shell.home, 'agent-hosting');
  await writeFile(program, `#!/bin/sh\nexec ${shell.command([])} "$@"\n`);
  await chmod(program, 0o755);
});

async function steps(): Promise<Step[]> {
  const page = await readFile(path.join(root, 'docs/cli.md'), 'utf8');
  const blocks = Array.from(page.matchAll(/^```console\n(.*?)^```$/gms), ([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = '', ...printed] = step.split('\n');
        return { command, printed: printed.join('\n') };
      }),
  );
}

/** The output of both streams, with the exit code in brackets unless it is 0. */
async function outputOf(command: string): Promise<string> {
  const line = `exec 2>&1; ${command}; code=$?; [ $code = 0 ] || echo "[$code]"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', line], {
    cwd: shell.home,
    env: { ...shell.env, PATH: `${shell.home}:${shell.env['PATH'] ?? ''}` },
  });
  return stdout;
}

/** Replaces values that differ between runs: ids by their order of appearance, times and versions by placeholders. */
function normalize(text: string, ids: Map<string, string>): string {
  return text
    .replaceAll(/\b(agent|dep|key|req|mem)_[0-9a-z]{26}\b/g, (id, kind: string) => {
      if (kind === 'req') return 'req_…';
      if (!ids.has(id)) ids.set(id, `${kind}_${ids.size}`);
      return ids.get(id) ?? id;
    })
    .replaceAll(/\b1\.([01])\.\d{10}\b/g, '1.$1.<time>')
    .replaceAll(/\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d{3})?Z/g, '<$1time>');
}

test.each(['first', 'second'])(
  'every command prints what the page shows, in a %s run',
  async () => {
    const all = await steps();
    expect(all.length).toBeGreaterThan(10);
    const documented = new Map<string, string>();
    const seen = new Map<string, string>();
    for (const { command, printed } of all) {
      // An id in a documented command is replaced by the one that was printed in its place.
      const actual = command
        .replaceAll(documentedUrl, service.url)
        .replaceAll(/\b[a-z]+_[0-9a-z]{26}\b/g, (id) => {
          const name = documented.get(id);
          return [...seen].find(([, other]) => other === name)?.[0] ?? id;
        });
      const output = (await outputOf(actual)).replaceAll(service.url, documentedUrl);
      expect(`$ ${command}\n${normalize(output, seen)}`).toBe(
        `$ ${command}\n${normalize(printed, documented)}`,
      );
    }
  },
);

/** The command line's chapter of the client's README, typed as it stands, prints what it says. */
import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestService, type Tenant, type TestService } from '../helpers/service.js';
import { root } from '../helpers/workspace.js';
import { createShell, quoted, type Shell } from './shell.js';

interface Step {
  command: string;
  printed: string;
}

/** Where the README has the service, which in a test is somewhere else. */
const usualUrl = 'http://127.0.0.1:3000';

let service: TestService;
let tenant: Tenant;
let shell: Shell;

beforeAll(async () => {
  [service, shell] = await Promise.all([startTestService(), createShell()]);
  tenant = await service.tenant();
  await tenant.newAgent({ name: 'echo' });
  await writeFile(path.join(shell.home, 'key.txt'), tenant.key);
  const program = path.join(shell.home, 'agent-hosting');
  await writeFile(
    program,
    `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(shell.program)} "$@"\n`,
  );
  await chmod(program, 0o755);
});

afterAll(() => service.stop());

async function steps(): Promise<Step[]> {
  const readme = await readFile(path.join(root, 'client/README.md'), 'utf8');
  const blocks = Array.from(
    readme.matchAll(/^```console\n(.*?)^```$/gms),
    ([, block = '']) => block,
  );
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

/** All that a person sees, with the exit code in brackets if there is one. */
async function typed(command: string): Promise<string> {
  const line = `exec 2>&1; ${command}; code=$?; [ $code = 0 ] || echo "[$code]"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', line], {
    cwd: shell.home,
    env: { ...shell.env, PATH: `${shell.home}:${shell.env['PATH'] ?? ''}` },
  });
  return stdout;
}

/** What differs each time is made equal: ids and times keep their form, and ids also who they are. */
function normal(text: string, ids: Map<string, string>): string {
  return text
    .replaceAll(/\b(agent|dep|key|req|mem)_[0-9a-z]{26}\b/g, (id, kind: string) => {
      if (kind === 'req') return 'req_…';
      if (!ids.has(id)) ids.set(id, `${kind}_${ids.size}`);
      return ids.get(id) ?? id;
    })
    .replaceAll(/\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d{3})?Z/g, '<$1time>');
}

test('every command prints what the README shows', async () => {
  const all = await steps();
  expect(all.length).toBeGreaterThan(10);
  const [told, seen] = [new Map<string, string>(), new Map<string, string>()];
  for (const { command, printed } of all) {
    // Ids in a command are those that were printed before.
    const real = command
      .replaceAll(usualUrl, service.url)
      .replaceAll(/\b[a-z]+_[0-9a-z]{26}\b/g, (id) => {
        const name = told.get(id);
        return [...seen].find(([, other]) => other === name)?.[0] ?? id;
      });
    const output = (await typed(real)).replaceAll(service.url, usualUrl);
    expect(`$ ${command}\n${normal(output, seen)}`).toBe(`$ ${command}\n${normal(printed, told)}`);
  }
});

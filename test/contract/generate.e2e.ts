/** Generation is reproducible to the byte, all or nothing, and cleans up after itself. */

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { operations } from '../../generated/operations.js';
import { differences } from '../../scripts/check/compare.js';
import { edit, root, runScript, specCopy, temporaryFolder } from '../helpers/programs/workspace.js';

const count = Object.keys(operations).length;

describe('npm run generate', () => {
  test('produces the same bytes every time, equal to those in the project', async () => {
    const out = await temporaryFolder();
    expect(await runScript('generate', ['--out', out])).toMatchObject({ code: 0 });
    expect(await differences(path.join(root, 'generated'), out, ['client/', 'chart/'])).toEqual([]);
    const client = path.join(root, 'client/src/generated');
    expect(await differences(client, path.join(out, 'client'), [])).toEqual([]);
    const chart = path.join(root, 'deploy/helm/agent-hosting/files');
    expect(await differences(chart, path.join(out, 'chart'), [])).toEqual([]);
    expect((await readdir(out)).toSorted()).toEqual([
      'agent-manifest.schema.json',
      'api.ts',
      'chart',
      'client',
      'constraints.ts',
      'manifest.ts',
      'openapi.json',
      'openapi.yaml',
      'operations.ts',
      'prisma',
    ]);
  });

  test('runs only the named steps, prints what each produced, and removes only files that no step produces', async () => {
    const out = await temporaryFolder();
    await writeFile(path.join(out, 'leftover.ts'), '');
    await writeFile(path.join(out, 'manifest.ts'), '// made by a step that does not run');
    await mkdir(path.join(out, 'prisma'));
    const { code, stdout } = await runScript('generate', ['--out', out, 'operations']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(`^operations\\.ts +${count} routes, 14 error codes +\\d+\\.\\d s\\n$`),
    );
    expect((await readdir(out)).toSorted()).toEqual(['manifest.ts', 'operations.ts', 'prisma']);
  });

  test('writes nothing if one step fails', async () => {
    const spec = await specCopy();
    const out = await temporaryFolder();
    await edit(path.join(spec, 'agent-manifest.yaml'), (text) =>
      text.replace('type: object', 'type: objekt'),
    );
    const args = ['--spec', spec, '--out', out, 'bundle', 'manifest'];
    const { code, stdout, stderr } = await runScript('generate', args);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^openapi\\.json +${count} operations`, 'm'));
    expect(stdout).toMatch(/^agent-manifest\.schema\.json +failed/m);
    expect(stderr).toContain('Nothing was written.');
    expect(stderr).not.toContain('    at ');
    expect(await readdir(out)).toEqual([]);
  });

  test('prints its usage, and rejects an unknown step with exit code 2', async () => {
    const [help, unknown] = await Promise.all([
      runScript('generate', ['--help']),
      runScript('generate', ['typos']),
    ]);
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--out <dir>') });
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("unknown name 'typos'; known names: bundle, types,");
  });
});

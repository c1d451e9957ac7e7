/** Generation is all or nothing, and cleans up after itself; `npm run check` compares its output byte for byte. */

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { operations } from '../../generated/operations.js';
import { edit, runScript, specCopy, temporaryFolder } from '../helpers/programs/workspace.js';

const count = Object.keys(operations).length;

describe('npm run generate', () => {
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

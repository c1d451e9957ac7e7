/** The packages that the image leaves out are not loaded by the service. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Metafile } from 'esbuild';
import { bundlePrograms, serverPrograms } from '../../scripts/lib/bundle.js';
import { root } from '../helpers/programs/workspace.js';

const removed = 'node_modules/@prisma/client/runtime/query_compiler_';
let bundle: Metafile;

beforeAll(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'image-'));
  const file = path.join(folder, 'bundle.json');
  await bundlePrograms(serverPrograms, folder, [`--metafile=${file}`]);
  bundle = JSON.parse(await readFile(file, 'utf8')) as Metafile;
  await rm(folder, { recursive: true });
});

describe('the Prisma query compilers', () => {
  test('are removed by the Dockerfile, and exist before that', async () => {
    expect(await readFile(path.join(root, 'Dockerfile'), 'utf8')).toContain(`RUN rm ${removed}*\n`);
    const files = await readdir(path.join(root, path.dirname(removed)));
    expect(files.filter((name) => name.startsWith(path.basename(removed)))).not.toEqual([]);
  });

  test('are bundled as far as they are used', () => {
    const compilers = Object.keys(bundle.inputs).filter((file) => file.startsWith(removed));
    expect(compilers).toContainEqual(expect.stringContaining('.postgresql.wasm-base64'));
  });

  test('are not imported anywhere else', () => {
    const imports = Object.values(bundle.outputs).flatMap((output) => output.imports);
    const external = imports.filter((one) => one.external).map((one) => one.path);
    expect(external.filter((name) => name.startsWith('@prisma/'))).toEqual([]);
    expect(external).toContain('node:fs');
  });
});

/** What the image is built from, and what it leaves out. */
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

const dockerfile = await readFile(path.join(root, 'Dockerfile'), 'utf8');

test('is built from an exact version of Node', () => {
  const [, image = ''] = /^ARG NODE_IMAGE=(.+)$/m.exec(dockerfile) ?? [];
  expect(image).toMatch(/^node:\d+\.\d+\.\d+-/);
  const others = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, from]) => from);
  expect(new Set(others)).toEqual(new Set(['${NODE_IMAGE}']));
});

test('is built without the secrets that stay out of the repository', async () => {
  const ignored = (await readFile(path.join(root, '.dockerignore'), 'utf8')).split('\n');
  const uncommitted = await readFile(path.join(root, 'deploy/.gitignore'), 'utf8');
  const secrets = uncommitted.split('\n').filter((line) => line !== '');
  expect(secrets).toContain('secrets/');
  for (const name of secrets) expect(ignored).toContain(`deploy/${name.replace(/\/$/, '')}`);
});

describe('the Prisma query compilers', () => {
  test('are removed by the Dockerfile, and exist before that', async () => {
    expect(dockerfile).toContain(`RUN rm ${removed}*\n`);
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

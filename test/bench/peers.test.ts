/** The comparison with Mastra and VoltAgent, as far as it can be tested without installing them. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { measureInstallation, residentMemory } from '../../scripts/bench/peers/footprint.js';
import { isRecentEnough } from '../../scripts/bench/peers/node.js';
import { root } from '../helpers/workspace.js';

const projects = path.join(root, 'scripts/bench/peers/projects');

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

async function readJson<T>(...file: string[]): Promise<T> {
  return JSON.parse(await readFile(path.join(...file), 'utf8')) as T;
}

describe.each(['node', 'mastra', 'voltagent'])('the project %s', (name) => {
  test('pins what it compares with, as its lock file has it', async () => {
    const manifest = await readJson<Manifest>(projects, name, 'package.json');
    const { packages } = await readJson<{ packages: Record<string, { version?: string }> }>(
      projects,
      name,
      'package-lock.json',
    );
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const wanted = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(wanted.length).toBeGreaterThan(0);
    for (const [dependency, version] of wanted) {
      expect(packages[`node_modules/${dependency}`]?.version).toBe(version);
    }
  });

  test('does not name a registry, so that it is installed from the one in use', async () => {
    const lock = await readFile(path.join(projects, name, 'package-lock.json'), 'utf8');
    expect(lock).not.toContain('"resolved"');
  });
});

test('the service itself has nothing of the peers', async () => {
  const lock = await readFile(path.join(root, 'package-lock.json'), 'utf8');
  expect(lock).not.toMatch(/mastra|voltagent/);
});

test.each([
  ['20.20.2', false],
  ['22.12.0', false],
  ['22.13.0', true],
  ['24.0.0', true],
])('Node %s is recent enough for Mastra: %s', (version, expected) => {
  expect(isRecentEnough(version)).toBe(expected);
});

describe('an installation', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'installation-'));
    const packages = {
      '': {},
      'node_modules/needed': {},
      'node_modules/needed/node_modules/nested': {},
      'node_modules/tool': { dev: true },
      'node_modules/extra': { optional: true },
      'node_modules/for-another-platform': { optional: true },
      workspace: {},
      'node_modules/workspace': { link: true },
    };
    for (const place of ['needed/node_modules/nested', 'tool', 'extra']) {
      const target = path.join(folder, 'node_modules', place);
      await mkdir(target, { recursive: true });
      await writeFile(path.join(target, 'index.js'), Buffer.alloc(2 * 1024 ** 2, 'x'));
    }
    await writeFile(path.join(folder, 'server.js'), '');
    await writeFile(path.join(folder, 'package-lock.json'), JSON.stringify({ packages }));
  });

  afterAll(() => rm(folder, { recursive: true }));

  test('counts what runs on this platform, each package once', async () => {
    const { packages, megabytes } = await measureInstallation({ folder, files: ['server.js'] });
    expect(packages).toBe(3);
    expect(megabytes).toBeGreaterThanOrEqual(4);
    expect(megabytes).toBeLessThan(5);
  });

  test('leaves out what is optional, if that is not needed', async () => {
    const installation = { folder, files: [], omitOptional: true };
    const { packages, megabytes } = await measureInstallation(installation);
    expect(packages).toBe(2);
    expect(megabytes).toBeLessThan(3);
  });
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('memory is what the kernel counts for a process', async () => {
  const { now, peak } = await residentMemory(process.pid);
  expect(now).toBeGreaterThan(20);
  expect(peak).toBeGreaterThanOrEqual(now - 1);
});

/** The SBOM: every package of a production install or of a bundle, and no development tool. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { builtPrograms } from '../helpers/programs/built-project.js';
import { useFixture } from '../helpers/service/fixture.js';
import { root, runScript } from '../helpers/programs/workspace.js';

interface Component {
  name: string;
  version: string;
  scope?: string;
  hashes?: object[];
  properties?: { name: string }[];
}

interface Sbom {
  bomFormat: string;
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const sbom = useFixture(async () => {
  const { code, stdout } = await runScript('sbom', []);
  expect(code).toBe(0);
  return JSON.parse(stdout) as Sbom;
});

const isBundled = ({ properties = [] }: Component) =>
  properties.some(({ name }) => name === 'cdx:npm:package:bundled');

test('lists exactly the packages that are installed in production, apart from bundled ones', async () => {
  expect(sbom.bomFormat).toBe('CycloneDX');
  const { packages } = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; link?: boolean; version: string }>;
  };
  const installed = Object.entries(packages)
    .filter(([place, { dev, link }]) => place.includes('node_modules/') && !dev && !link)
    .map(([place, { version }]) => `${place.replace(/^.*node_modules\//, '')}@${version}`);
  const listed = sbom.components
    .filter((component) => !isBundled(component))
    .map(({ name, version }) => `${name}@${version}`);
  expect([...new Set(listed)].sort()).toEqual([...new Set(installed)].sort());
  const known = new Set(sbom.dependencies.map(({ ref }) => ref));
  const loose = sbom.dependencies.flatMap(({ dependsOn }) =>
    dependsOn.filter((ref) => !known.has(ref)),
  );
  expect(loose).toEqual([]);
  expect(sbom.components.filter(({ hashes }) => !hashes?.length)).toEqual([]);
});

/** Read from the comments that the bundler writes above the code of each package. */
async function packagesOfServer(): Promise<string[]> {
  const folder = path.join(await builtPrograms(), 'server');
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.js'));
  const texts = await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')));
  const note = /^\/\/ .*node_modules\/((?:@[^/]+\/)?[^/]+)\//gm;
  return texts.flatMap((text) => [...text.matchAll(note)].map(([, name = '']) => name));
}

test('lists packages that are bundled but not installed, and no development tools', async () => {
  const names = new Set(sbom.components.map(({ name }) => name));
  const ofServer = new Set(await packagesOfServer());
  expect(ofServer).toContain('@opentelemetry/sdk-trace');
  expect([...ofServer].filter((name) => !names.has(name))).toEqual([]);
  const bundled = sbom.components.filter(isBundled);
  const ofPages = ['preact', '@preact/signals', 'uplot', '@redocly/cli'];
  expect(bundled.map(({ name }) => name)).toEqual(expect.arrayContaining(ofPages));
  for (const { scope, properties } of bundled) {
    expect(scope).toBe('required');
    expect(properties).not.toContainEqual(
      expect.objectContaining({ name: 'cdx:npm:package:development' }),
    );
  }
});

/** The list of what a release contains: every package of a production install, and no tool of development. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { root, runScript } from '../helpers/workspace.js';

interface Sbom {
  bomFormat: string;
  components: { name: string; version: string; hashes?: object[]; purl: string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

test('names exactly the packages that are installed in production', async () => {
  const { code, stdout } = await runScript('sbom', []);
  expect(code).toBe(0);
  const sbom = JSON.parse(stdout) as Sbom;
  expect(sbom.bomFormat).toBe('CycloneDX');
  const { packages } = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; link?: boolean; version: string }>;
  };
  const installed = Object.entries(packages)
    .filter(([place, { dev, link }]) => place.includes('node_modules/') && !dev && !link)
    .map(([place, { version }]) => `${place.replace(/^.*node_modules\//, '')}@${version}`);
  const listed = sbom.components.map(({ name, version }) => `${name}@${version}`);
  expect([...new Set(listed)].sort()).toEqual([...new Set(installed)].sort());
  const known = new Set(sbom.dependencies.map(({ ref }) => ref));
  const loose = sbom.dependencies.flatMap(({ dependsOn }) =>
    dependsOn.filter((ref) => !known.has(ref)),
  );
  expect(loose).toEqual([]);
  expect(sbom.components.filter(({ hashes }) => !hashes?.length)).toEqual([]);
});

/** `npm run sbom`: lists what a production install contains, as CycloneDX. */

import { readFile } from 'node:fs/promises';
import { run } from './lib/child.js';
import { command } from './lib/command.js';
import { Failure, runProgram } from './lib/failure.js';
import { inProject } from './lib/project.js';

interface Sbom {
  metadata: { component: { 'bom-ref': string; name: string } };
  components: { 'bom-ref': string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

interface LockedPackage {
  name?: string;
  version?: string;
  dev?: boolean;
  link?: boolean;
}

command('sbom', 'Print the packages of a production install as CycloneDX JSON.').parse();

/** npm's own --omit=dev leaves out whatever a tool of development needs as well, two thirds of what is installed. */
async function main(): Promise<void> {
  const args = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--package-lock-only',
  ];
  const { code, stdout, stderr } = await run('npm', args);
  if (code !== 0) throw new Failure(stderr.trim());
  const sbom = JSON.parse(stdout) as Sbom;
  const kept = await productionPackages();
  const { component } = sbom.metadata;
  const isKept = (ref: string) => kept.has(ref) || ref === component['bom-ref'];
  // npm takes the name of the directory.
  component.name = component['bom-ref'].replace(/@[^@]+$/, '');
  sbom.components = sbom.components.filter((part) => isKept(part['bom-ref']));
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => isKept(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) }));
  console.log(JSON.stringify(sbom, null, 2));
}

/** By the marks that npm itself goes by when it installs, as name@version. */
async function productionPackages(): Promise<Set<string>> {
  const { packages } = JSON.parse(await readFile(inProject('package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  return new Set(
    Object.entries(packages).flatMap(([place, { name, version, dev, link }]) => {
      if (!place.includes('node_modules/') || dev || link) return [];
      const own = name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return [`${own}@${version}`];
    }),
  );
}

await runProgram(main);

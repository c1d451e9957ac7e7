/** `npm run sbom`: lists what a production install contains, as CycloneDX: its packages, and those that are part of its bundles. */

import { readFile } from 'node:fs/promises';
import { bundledPackages } from './lib/bundled-packages.js';
import { run } from './lib/child.js';
import { command } from './lib/command.js';
import { Failure, runProgram } from './lib/failure.js';
import { inProject } from './lib/project.js';

interface Sbom {
  metadata: { component: { 'bom-ref': string; name: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

interface Component {
  'bom-ref': string;
  scope?: string;
  properties?: { name: string; value: string }[];
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
  const { installed, bundled } = await packagesOf(await bundledPackages());
  const { component } = sbom.metadata;
  const isKept = (ref: string) =>
    installed.has(ref) || bundled.has(ref) || ref === component['bom-ref'];
  // npm takes the name of the directory.
  component.name = component['bom-ref'].replace(/@[^@]+$/, '');
  sbom.components = sbom.components
    .filter((part) => isKept(part['bom-ref']))
    .map((part) => (installed.has(part['bom-ref']) ? part : asBundled(part)));
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => isKept(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) }));
  console.log(JSON.stringify(sbom, null, 2));
}

/** npm marks it as a tool of development, which it is not. */
function asBundled({ scope: _scope, properties = [], ...part }: Component): Component {
  const others = properties.filter(({ name }) => name !== 'cdx:npm:package:development');
  return {
    ...part,
    scope: 'required',
    properties: [...others, { name: 'cdx:npm:package:bundled', value: 'true' }],
  };
}

/** As name@version. What is installed, by the marks that npm itself goes by. */
async function packagesOf(bundledPlaces: ReadonlySet<string>) {
  const { packages } = JSON.parse(await readFile(inProject('package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const refsOf = (isMeant: (place: string, locked: LockedPackage) => boolean) =>
    new Set(
      Object.entries(packages)
        .filter(([place, locked]) => place.includes('node_modules/') && isMeant(place, locked))
        .map(([place, { name, version }]) => `${name ?? nameOf(place)}@${version}`),
    );
  return {
    installed: refsOf((_place, { dev, link }) => !dev && !link),
    bundled: refsOf((place) => bundledPlaces.has(place)),
  };
}

function nameOf(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

await runProgram(main);

/** `npm run sbom`: lists the packages of a production install, including bundled ones, as CycloneDX. */

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

/** npm's own --omit=dev also leaves out packages that development tools share, two thirds of those installed. */
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
  // npm uses the name of the directory.
  component.name = component['bom-ref'].replace(/@[^@]+$/, '');
  sbom.components = sbom.components
    .filter((part) => isKept(part['bom-ref']))
    .map((part) => (installed.has(part['bom-ref']) ? part : asBundled(part)));
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => isKept(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) }));
  console.log(JSON.stringify(sbom, null, 2));
}

/** Removes npm's mark as a development package. */
function asBundled({ scope: _scope, properties = [], ...part }: Component): Component {
  const others = properties.filter(({ name }) => name !== 'cdx:npm:package:development');
  return {
    ...part,
    scope: 'required',
    properties: [...others, { name: 'cdx:npm:package:bundled', value: 'true' }],
  };
}

/** Packages as name@version; whether they are installed is decided by npm's own marks. */
async function packagesOf(bundledPlaces: ReadonlySet<string>) {
  const { packages } = JSON.parse(await readFile(inProject('package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const refsOf = (isIncluded: (place: string, locked: LockedPackage) => boolean) =>
    new Set(
      Object.entries(packages)
        .filter(([place, locked]) => place.includes('node_modules/') && isIncluded(place, locked))
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

/** Warnings of `npm ci`, derived from the lock file: undecided install scripts and packages for other Node versions. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from './helpers/programs/workspace.js';

interface LockedPackage {
  hasInstallScript?: boolean;
  engines?: { node?: string };
  os?: string[];
  cpu?: string[];
}

const readJson = async (file: string): Promise<unknown> =>
  JSON.parse(await readFile(path.join(root, file), 'utf8'));

const project = (await readJson('package.json')) as {
  allowScripts: Record<string, boolean>;
  engines: { node: string };
};
const tools = (await readJson('scripts/tools/package.json')) as Pick<
  typeof project,
  'allowScripts'
>;
const locked = async (file: string) =>
  ((await readJson(file)) as { packages: Record<string, LockedPackage> }).packages;
const packages = await locked('package-lock.json');
const packagesOfTools = await locked('scripts/tools/package-lock.json');

const nameOf = (place: string) => place.slice(place.lastIndexOf('node_modules/') + 13);

test.each([
  ['the project', packages, project.allowScripts],
  ['the tools', packagesOfTools, tools.allowScripts],
])('every install script of %s is allowed or denied', (_whose, all, allowScripts) => {
  const scripts = Object.entries(all).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = scripts.map(([place]) => nameOf(place));
  expect(names).not.toEqual([]);
  expect(names.filter((name) => !(name in allowScripts))).toEqual([]);
});

test('an install has at most 700 packages', () => {
  const installed = Object.entries(packages).filter(
    ([place, { os, cpu }]) =>
      place.includes('node_modules/') &&
      (os?.includes(process.platform) ?? true) &&
      (cpu?.includes(process.arch) ?? true),
  );
  expect(installed.length).toBeLessThanOrEqual(700);
});

/** The lowest version of a range such as `^20.19.0 || >=22`, as a comparable number. */
function lowestOf(range: string): number {
  const versions = range.split('||').map((part) => {
    const [, major = '0', minor = '0'] = /(\d+)(?:\.(\d+))?/.exec(part) ?? [];
    return Number(major) * 1000 + Number(minor);
  });
  return Math.min(...versions);
}

test('every package runs on the oldest supported Node', () => {
  const oldest = lowestOf(project.engines.node);
  expect(oldest).toBe(20_019);
  const tooNew = Object.entries({ ...packagesOfTools, ...packages }).filter(
    ([, { engines }]) => engines?.node !== undefined && lowestOf(engines.node) > oldest,
  );
  expect(tooNew.map(([place]) => nameOf(place))).toEqual([]);
});

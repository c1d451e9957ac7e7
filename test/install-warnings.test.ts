/** What `npm ci` would warn of, by the lock file: install scripts that nobody decided on, and packages for another Node. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from './helpers/workspace.js';

interface LockedPackage {
  hasInstallScript?: boolean;
  engines?: { node?: string };
}

const readJson = async (file: string): Promise<unknown> =>
  JSON.parse(await readFile(path.join(root, file), 'utf8'));

const project = (await readJson('package.json')) as {
  allowScripts: Record<string, boolean>;
  engines: { node: string };
};
const { packages } = (await readJson('package-lock.json')) as {
  packages: Record<string, LockedPackage>;
};

const nameOf = (place: string) => place.slice(place.lastIndexOf('node_modules/') + 13);

test('every install script is allowed or denied', () => {
  const scripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = scripts.map(([place]) => nameOf(place));
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !(name in project.allowScripts))).toEqual([]);
});

/** The lowest version, as a number that can be compared, of a range such as `^20.19.0 || >=22`. */
function lowestOf(range: string): number {
  const versions = range.split('||').map((part) => {
    const [, major = '0', minor = '0'] = /(\d+)(?:\.(\d+))?/.exec(part) ?? [];
    return Number(major) * 1000 + Number(minor);
  });
  return Math.min(...versions);
}

test('every package runs on the oldest Node that the project supports', () => {
  const oldest = lowestOf(project.engines.node);
  expect(oldest).toBe(20_019);
  const tooNew = Object.entries(packages).filter(
    ([, { engines }]) => engines?.node !== undefined && lowestOf(engines.node) > oldest,
  );
  expect(tooNew.map(([place]) => nameOf(place))).toEqual([]);
});

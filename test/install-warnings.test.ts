/** `npm ci` warns about install scripts that package.json does not decide on. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from './helpers/programs/workspace.js';

const readJson = async (file: string): Promise<unknown> =>
  JSON.parse(await readFile(path.join(root, file), 'utf8'));

test('every install script is allowed or denied', async () => {
  const { allowScripts } = (await readJson('package.json')) as {
    allowScripts: Record<string, boolean>;
  };
  const { packages } = (await readJson('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const names = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([place]) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(names).not.toEqual([]);
  expect(names.filter((name) => !(name in allowScripts))).toEqual([]);
});

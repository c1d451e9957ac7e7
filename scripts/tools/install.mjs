/**
 * `npm run tools`: installs the packages in scripts/tools/package.json. They are large and only contributors need them, so `npm ci`
 * leaves them out, and the commands that need them run this first. Their dependencies have other versions than those of the
 * project, so only files in this folder import them.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = import.meta.dirname;
const lockFile = path.join(folder, 'package-lock.json');
/** Written last, so that an interrupted or outdated install is repeated. */
const installed = path.join(folder, 'node_modules/.installed-lock.json');

if (!existsSync(installed) || readFileSync(installed, 'utf8') !== readFileSync(lockFile, 'utf8')) {
  console.error(
    'Installing Prism, Spectral and autocannon into scripts/tools/node_modules (160 MB, only once).',
  );
  const { status, error } = spawnSync('npm', ['ci', '--prefix', folder], {
    // Standard output is reserved for the command.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    console.error(
      `The installation failed${error ? ` (${error.message})` : ''}. Run npm run tools again when the package registry is reachable.`,
    );
    process.exit(1);
  }
  copyFileSync(lockFile, installed);
}

/**
 * `npm run tools`: installs the packages of package.json beside it into scripts/tools/node_modules. They are large and only contributors need
 * them, so `npm ci` leaves them out; the commands that need them run this first. What they share with the project has other
 * versions there, so only the files of this folder import them.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const folder = import.meta.dirname;
const lockFile = path.join(folder, 'package-lock.json');
/** Written last: an install that was interrupted is repeated, and so is one of another version of the lock file. */
const installed = path.join(folder, 'node_modules/.installed-lock.json');

if (!existsSync(installed) || readFileSync(installed, 'utf8') !== readFileSync(lockFile, 'utf8')) {
  console.error(
    'Installing Prism, Spectral and autocannon into scripts/tools/node_modules: once, 160 MB.',
  );
  const { status, error } = spawnSync('npm', ['ci', '--prefix', folder], {
    // What the command prints is its own.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    console.error(
      `They could not be installed${error ? ` (${error.message})` : ''}. Run npm run tools again when the package registry can be reached.`,
    );
    process.exit(1);
  }
  copyFileSync(lockFile, installed);
}

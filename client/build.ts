/** `npm run build -w client`: the SDK as modules with their types, the command line as one file. */
import { execFile } from 'node:child_process';
import { chmod, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const here = import.meta.dirname;

/** Commander is bundled, so that the package does not depend on it; its licence requires the notice. */
const banner = `#!/usr/bin/env node
/* Contains commander: MIT licence, copyright (c) 2011 TJ Holowaychuk. */
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);`;

export async function buildCli(outfile: string): Promise<void> {
  await build({
    entryPoints: [path.join(here, 'cli/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: banner },
    logLevel: 'warning',
  });
  await chmod(outfile, 0o755);
}

async function buildLibrary(): Promise<void> {
  const compiler = path.join(here, '../node_modules/typescript-native/bin/tsc');
  const config = path.join(here, 'tsconfig.build.json');
  await promisify(execFile)(process.execPath, [compiler, '--project', config]);
}

if (process.argv[1] === import.meta.filename) {
  const dist = path.join(here, 'dist');
  await rm(dist, { recursive: true, force: true });
  await Promise.all([buildLibrary(), buildCli(path.join(dist, 'cli.js'))]);
}

/** `npm run build -w client`: compiles the SDK with its types, and bundles the command line. */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const here = import.meta.dirname;

/** These are bundled so that the package does not depend on them; their licences require the notice. */
const banner = `/* Contains commander: MIT licence, copyright (c) 2011 TJ Holowaychuk; @bomb.sh/tab: MIT licence, copyright (c) Bombshell; yaml: ISC licence, copyright Eemeli Aro. */
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);`;

/** Writes `cli.mjs` and the chunks that it loads on demand. */
export async function buildCli(outdir: string): Promise<void> {
  await build({
    entryPoints: [{ in: path.join(here, 'cli/main.ts'), out: 'cli' }],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    chunkNames: 'cli/[name]-[hash]',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: banner },
    logLevel: 'warning',
  });
}

async function buildLibrary(): Promise<void> {
  const compiler = path.join(here, '../node_modules/typescript-native/bin/tsc');
  const config = path.join(here, 'tsconfig.build.json');
  await promisify(execFile)(process.execPath, [compiler, '--project', config]);
}

if (process.argv[1] === import.meta.filename) {
  const dist = path.join(here, 'dist');
  await rm(dist, { recursive: true, force: true });
  await Promise.all([buildLibrary(), buildCli(dist)]);
}

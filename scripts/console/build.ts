/** Bundles the console: a page, and assets whose names contain a hash of their content. */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { inProject } from '../lib/project.js';

const source = inProject('client/console');

/** Their licences require the notice. */
const banner = `/* Contains preact and @preact/signals (MIT licence, copyright (c) 2015-present Jason Miller, 2022-present Preact Team) uPlot (MIT licence, copyright (c) 2022 Leon Sorokin) and markdown-it (MIT licence, copyright (c) 2014 Vitaly Puzrin, Alex Kocharin). */`;

export interface BuiltConsole {
  /** All files together. */
  gzipBytes: number;
  metafile: Metafile;
}

export async function buildConsole(folder: string): Promise<BuiltConsole> {
  const { metafile, outputFiles } = await build({
    entryPoints: [
      path.join(source, 'main.tsx'),
      path.join(source, 'styles/index.css'),
      inProject('scripts/docs/logo.svg'),
    ],
    outdir: folder,
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'copy' },
    banner: { js: banner },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  await rm(folder, { recursive: true, force: true });
  await mkdir(path.join(folder, 'assets'), { recursive: true });
  await Promise.all(outputFiles.map((file) => writeFile(file.path, file.contents)));
  const html = fillIn(await readFile(path.join(source, 'index.html'), 'utf8'), metafile);
  await writeFile(path.join(folder, 'index.html'), html);
  const contents = [Buffer.from(html), ...outputFiles.map((file) => file.contents)];
  return { gzipBytes: contents.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0), metafile };
}

/** Inserts the file names into the page, and preloads the static imports of the script. */
function fillIn(html: string, { outputs }: Metafile): string {
  const fileOf = (name: string) => {
    const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(name));
    if (!found) throw new Error(`The build has no file for ${name}.`);
    return found;
  };
  const addressOf = (file: string) => `assets/${path.basename(file)}`;
  const [script, { imports }] = fileOf('main.tsx');
  const preloads = imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path: file }) => `<link rel="modulepreload" href="${addressOf(file)}" />`);
  return html
    .replace('%SCRIPT%', addressOf(script))
    .replace('%STYLES%', addressOf(fileOf('index.css')[0]))
    .replace('%ICON%', addressOf(fileOf('logo.svg')[0]))
    .replace('<!-- preloads -->', preloads.join('\n    '));
}

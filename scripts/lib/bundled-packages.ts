/** Finds the packages whose code is part of the build output. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { buildConsole } from '../console/build.js';
import { bundlePrograms, serverPrograms } from './bundle.js';

/** The documentation page contains Redoc, which is part of this package. */
const docsPackages = ['node_modules/@redocly/cli'];

/** The paths of the packages, as in the lock file. */
export async function bundledPackages(): Promise<Set<string>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bundles-'));
  try {
    const [server, { metafile: consolePage }] = await Promise.all([
      bundleServer(folder),
      buildConsole(path.join(folder, 'console')),
    ]);
    return new Set([server, consolePage].flatMap(packagesIn).concat(docsPackages));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function bundleServer(folder: string): Promise<Metafile> {
  const file = path.join(folder, 'server.json');
  await bundlePrograms(serverPrograms, folder, [`--metafile=${file}`]);
  return JSON.parse(await readFile(file, 'utf8')) as Metafile;
}

function packagesIn({ outputs }: Metafile): string[] {
  const parts = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return parts.flatMap(([file, { bytesInOutput }]) => {
    const [place] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
    return place === undefined || bytesInOutput === 0 ? [] : [place];
  });
}

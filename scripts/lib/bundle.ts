/** Bundles programs of the server with all that they import: of few files Node loads a program in half the time. */

import { createRequire } from 'node:module';
import { run } from './child.js';
import { Failure } from './failure.js';
import { inProject } from './project.js';

/** Each is started as a process of its own, or as a thread. */
export const serverPrograms = [
  'server/main.ts',
  'server/worker.ts',
  'server/healthcheck.ts',
  'server/operator/main.ts',
  'server/runtime/schema-thread.ts',
];

/** Of what is bundled, but not installed with its licence beside it. */
const notice =
  '/* May contain parts of OpenTelemetry: Apache License 2.0, copyright The OpenTelemetry Authors. */';

/** Express and two of its packages have the same version of it, each with all names of media types. */
const express = createRequire(import.meta.url).resolve('express');
const mediaTypes = createRequire(express).resolve('mime-types');

/** Writes each program to where it is in the project, below the folder, and what they share beside them. */
export async function bundlePrograms(
  programs: string[],
  folder: string,
  flags: readonly string[] = [],
): Promise<void> {
  const { code, stderr } = await run(inProject('node_modules/esbuild/bin/esbuild'), [
    ...programs,
    ...flags,
    `--outdir=${folder}`,
    '--outbase=.',
    '--bundle',
    '--splitting',
    '--chunk-names=server/shared/[name]-[hash]',
    '--format=esm',
    '--platform=node',
    '--target=node20',
    // A faster driver that pg would use if it were installed.
    '--external:pg-native',
    `--alias:iconv-lite=${inProject('scripts/lib/no-encodings.cjs')}`,
    `--alias:mime-types=${mediaTypes}`,
    // As later versions of Node have it. Without one, pg loads Node's fetch to find out whether it runs on Cloudflare.
    '--define:navigator={"userAgent":"Node.js"}',
    // As modules where there are some, of which only what is used is bundled.
    '--main-fields=module,main',
    `--footer:js=${notice}`,
    // Dependencies that are CommonJS ask for Node's own modules by this function.
    `--banner:js=import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
    '--log-level=error',
  ]);
  if (code !== 0) throw new Failure(`The programs could not be bundled:\n${stderr}`);
}

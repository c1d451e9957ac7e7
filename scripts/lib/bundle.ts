/** Bundles the programs of the server with their imports. Node loads a few files in half the time of many. */

import { createRequire } from 'node:module';
import { run } from './child.js';
import { Failure } from './failure.js';
import { inProject } from './project.js';

/** Each runs in its own process or thread. */
export const serverPrograms = [
  'server/main.ts',
  'server/worker.ts',
  'server/healthcheck.ts',
  'server/operator/main.ts',
  'server/models/schema-thread.ts',
];

/** For bundled packages that are not installed together with their licence. */
const notice =
  '/* May contain parts of OpenTelemetry: Apache License 2.0, copyright The OpenTelemetry Authors. */';

/** Express and two of its dependencies each have a copy of the same version; the bundle needs only one. */
const express = createRequire(import.meta.url).resolve('express');
const mediaTypes = createRequire(express).resolve('mime-types');

/** Writes each program to its project path below the folder, with shared chunks beside them. */
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
    // An optional driver of pg, which is not installed.
    '--external:pg-native',
    `--alias:iconv-lite=${inProject('scripts/lib/no-encodings.cjs')}`,
    `--alias:mime-types=${mediaTypes}`,
    // Later versions of Node define it. Without it, pg loads Node's fetch to detect Cloudflare.
    '--define:navigator={"userAgent":"Node.js"}',
    // Prefers ES modules, whose unused parts are left out.
    '--main-fields=module,main',
    `--footer:js=${notice}`,
    // CommonJS dependencies load Node's own modules with this function.
    `--banner:js=import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
    '--log-level=error',
  ]);
  if (code !== 0) throw new Failure(`The programs could not be bundled:\n${stderr}`);
}

/** The paths of the project's files and of the programs in its dependencies. */

import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export function inProject(...parts: string[]): string {
  return path.join(root, ...parts);
}

/** The script of each program, to run with the same Node, without a shell or npx. */
export const programs = {
  oxlint: inProject('node_modules/oxlint/bin/oxlint'),
  prettier: inProject('node_modules/prettier/bin/prettier.cjs'),
  prisma: inProject('node_modules/prisma/build/index.js'),
  redocly: inProject('node_modules/@redocly/cli/bin/cli.js'),
  spectral: inProject('node_modules/@stoplight/spectral-cli/dist/index.js'),
  tsc: inProject('node_modules/typescript-native/bin/tsc'),
};

/** A path relative to the working directory, or absolute if it is outside of it. */
export function displayPath(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative;
}

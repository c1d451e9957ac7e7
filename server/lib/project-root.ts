/** Where the project lies, whether it runs from its sources or from a build below them. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

function findRoot(directory: string): string {
  if (existsSync(path.join(directory, 'package.json'))) return directory;
  const parent = path.dirname(directory);
  if (parent === directory) throw new Error('There is no package.json above this installation.');
  return findRoot(parent);
}

export const projectRoot = findRoot(path.dirname(fileURLToPath(import.meta.url)));

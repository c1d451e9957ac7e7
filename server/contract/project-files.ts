/** Finds the project's root directory, from the sources or from dist/, and the files that are read from it. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ownFile = fileURLToPath(import.meta.url);
export const projectRoot = findRoot(path.dirname(ownFile));

export const contractJson = path.join(projectRoot, 'generated/openapi.json');
export const contractYaml = path.join(projectRoot, 'generated/openapi.yaml');
export const manifestSchema = path.join(projectRoot, 'generated/agent-manifest.schema.json');
export const serviceVersion = readVersion();
export const docsPage = path.join(projectRoot, 'dist/docs/index.html');
export const consoleFolder = path.join(projectRoot, 'dist/console');

/** A module of the server in the same build. Sources use the last build, since plain Node and worker threads cannot load TypeScript. */
export function builtModule(name: string): string {
  const folder = path.join(path.sep, 'server', path.sep);
  const server = ownFile.endsWith('.ts')
    ? path.join(projectRoot, 'dist/server')
    : ownFile.slice(0, ownFile.lastIndexOf(folder) + folder.length);
  return path.join(server, `${name}.js`);
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}

function findRoot(directory: string): string {
  if (existsSync(path.join(directory, 'package.json'))) return directory;
  const parent = path.dirname(directory);
  if (parent === directory) throw new Error('No package.json was found above the installed files.');
  return findRoot(parent);
}

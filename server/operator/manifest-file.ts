/** Reads manifests from a file or standard input, and formats settings as a manifest. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { stringify } from 'yaml';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import type { AgentManifest } from '../../generated/manifest.js';
import { messageOf } from '../lib/errors/error-code.js';
import { isPrintable } from '../lib/text/printable.js';
import { linesOf } from '../lib/system/terminal.js';
import { CommandFailure } from './failure.js';
import { withAbsolutePaths } from './manifest-paths.js';
import { type ManifestProblem, parseManifests } from './parse-manifests.js';
import { jsonLines } from './output.js';

interface LoadedManifest {
  manifest: AgentManifest;
  /** With their position in the file. */
  warnings: string[];
}

/** Throws an error that lists every problem unless all manifests are valid. */
export async function loadManifests(file: string): Promise<LoadedManifest[]> {
  const parsed = parseManifests(await readText(file));
  const name = file === '-' ? 'standard input' : file;
  const inFile = ({ line, column, message }: ManifestProblem) =>
    `${name}:${line}:${column}  ${message}`;
  if ('problems' in parsed) {
    throw new CommandFailure(
      'The manifest is not valid, and nothing was changed:',
      parsed.problems.map(inFile),
      exitCodes.usage,
    );
  }
  const directory = file === '-' ? '.' : path.dirname(file);
  return parsed.manifests.map(({ manifest, warnings }) => ({
    manifest: withAbsolutePaths(manifest, directory),
    warnings: warnings.map(inFile),
  }));
}

async function readText(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    // A pipe with a name blocks until someone writes to it, and a device may never end.
    const canEnd = inheritedFile.test(file) || (await stat(file)).isFile();
    if (canEnd) return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${messageOf(error)}`);
  }
  throw new CommandFailure(
    `${file} is not a regular file. Name a file, or - for standard input.`,
    [],
    exitCodes.usage,
  );
}

/** What a shell has opened for this process, as for `-f <(…)`. */
const inheritedFile = /^\/dev\/(stdin|fd\/\d+)$/;

/** YAML, or JSON if the text contains unprintable characters: the terminal's escapes are valid in JSON strings, and JSON is valid YAML. */
export function manifestLines(manifest: object): string[] {
  const lines = linesOf(stringify(manifest, { lineWidth: 0 }));
  return lines.every(isPrintable) ? lines : jsonLines(manifest);
}

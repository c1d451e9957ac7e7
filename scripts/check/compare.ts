/** Compares two folders file by file, byte for byte. */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { displayPath } from '../lib/project.js';

/** One line for each file that differs, is missing, or should not exist. `ignored` are prefixes of paths. */
export async function differences(
  actualFolder: string,
  expectedFolder: string,
  ignored: string[],
): Promise<string[]> {
  const [actual, expected] = await Promise.all([
    readFiles(actualFolder, ignored),
    readFiles(expectedFolder, ignored),
  ]);
  const names = [...new Set([...actual.keys(), ...expected.keys()])].sort();
  return names.flatMap((name) => {
    const difference = describeDifference(actual.get(name), expected.get(name));
    return difference === undefined ? [] : [`${displayPath(actualFolder)}/${name} ${difference}`];
  });
}

async function readFiles(folder: string, ignored: string[]): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((name) => !ignored.some((prefix) => name.startsWith(prefix)));
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  return new Map(names.map((name, index) => [name, texts[index] ?? '']));
}

function describeDifference(
  actual: string | undefined,
  expected: string | undefined,
): string | undefined {
  if (actual === expected) return undefined;
  if (actual === undefined) return 'is missing';
  if (expected === undefined) return 'is not created by any step';
  const actualLines = actual.split('\n');
  const expectedLines = expected.split('\n');
  const line = expectedLines.findIndex((text, index) => text !== actualLines[index]);
  const first = line === -1 ? expectedLines.length : line;
  return [
    `differs from line ${first + 1} on:`,
    ...actualLines.slice(first, first + 3).map((text) => `  - ${text}`),
    ...expectedLines.slice(first, first + 3).map((text) => `  + ${text}`),
  ].join('\n');
}

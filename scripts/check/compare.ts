/** Compares what was generated with what the contract yields now, file by file and byte by byte. */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { shown } from '../lib/project.js';

/** One description for each file that differs, is missing, or should not be there; none if all is in step. */
export async function differences(
  present: string,
  expected: string,
  leftOut: string[],
): Promise<string[]> {
  const [here, wanted] = await Promise.all([files(present, leftOut), files(expected, leftOut)]);
  const names = [...new Set([...here.keys(), ...wanted.keys()])].sort();
  return names.flatMap((name) => {
    const found = describe(here.get(name), wanted.get(name));
    return found === undefined ? [] : [`${shown(present)}/${name} ${found}`];
  });
}

async function files(folder: string, leftOut: string[]): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((name) => !leftOut.some((prefix) => name.startsWith(prefix)));
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  return new Map(names.map((name, index) => [name, texts[index] ?? '']));
}

function describe(here: string | undefined, wanted: string | undefined): string | undefined {
  if (here === wanted) return undefined;
  if (here === undefined) return 'is missing';
  if (wanted === undefined) return 'is not made by any step';
  const hereLines = here.split('\n');
  const wantedLines = wanted.split('\n');
  const line = wantedLines.findIndex((text, index) => text !== hereLines[index]);
  const at = line === -1 ? wantedLines.length : line;
  return [
    `differs from line ${at + 1} on:`,
    ...hereLines.slice(at, at + 3).map((text) => `  - ${text}`),
    ...wantedLines.slice(at, at + 3).map((text) => `  + ${text}`),
  ].join('\n');
}

/** Finds the sources of bundled code by its source maps. */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../../lib/project.js';
import type { CallFrame, Place } from './cpu-profile.js';

export function createSourceFinder(): (frame: CallFrame) => Place {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (file: string) => {
    if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
    return maps.get(file);
  };
  return ({ functionName: name, url, lineNumber, columnNumber }) => {
    if (!url.startsWith('file:')) return { name, file: url, line: lineNumber + 1 };
    const file = fileURLToPath(url);
    const entry = mapOf(file)?.findEntry(lineNumber, columnNumber);
    const found = entry && 'originalSource' in entry ? entry : undefined;
    if (!found) return { name, file: path.relative(root, file), line: lineNumber + 1 };
    const source = path.resolve(path.dirname(file), found.originalSource);
    return { name, file: path.relative(root, source), line: found.originalLine + 1 };
  };
}

function readMap(file: string): SourceMap | undefined {
  if (!existsSync(file)) return undefined;
  const payload = JSON.parse(readFileSync(file, 'utf8')) as ConstructorParameters<
    typeof SourceMap
  >[0];
  return new SourceMap(payload);
}

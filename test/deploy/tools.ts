/** Third-party programs that check the files in deploy/, where a machine has them. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { root } from '../helpers/programs/workspace.js';

export const deploy = path.join(root, 'deploy');

export interface CommandResult {
  code: number | null;
  output: string;
}

export function run(program: string, args: string[], input?: string): CommandResult {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    ...(input === undefined ? {} : { input }),
  });
  return { code: error ? null : status, output: `${stdout}${stderr}` };
}

/** A test that is skipped with the reason in its name unless this command works here. */
export function testWith([program = '', ...args]: string[], input?: string): typeof test {
  return run(program, args, input).code === 0 ? test : (test.skip as typeof test);
}

export async function readYaml(file: string): Promise<unknown> {
  return parse(await readFile(path.join(deploy, file), 'utf8'), { merge: true }) as unknown;
}

export function parseDocuments(text: string): unknown[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as unknown)
    .filter((document) => document !== null);
}

/** The variables that the service reads, and those of the programs around it. */
export async function knownSettings(): Promise<Set<string>> {
  const example = await readFile(path.join(root, '.env.example'), 'utf8');
  const names = [...example.matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name);
  return new Set([...names, 'NODE_ENV']);
}

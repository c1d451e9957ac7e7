/** promtool, which is part of Prometheus. Tests that need it are skipped with a note where it is not installed. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from '@jest/globals';
import { startCommand } from '../helpers/programs/process.js';

const promtool = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .map((folder) => path.join(folder, 'promtool'))
  .find((file) => existsSync(file));

/** Runs promtool, and returns its output. */
export async function runPromtool(
  args: string[],
  input?: string,
): Promise<{ code: number | string; said: string }> {
  const options = input === undefined ? {} : { input };
  const program = startCommand(promtool ?? 'promtool', args, options);
  const code = await program.ended;
  return { code, said: `${program.stdout()}${program.stderr()}` };
}

/** A test that is skipped with a note where promtool is not installed. */
export function testWithPromtool(name: string, run: () => Promise<void>): void {
  const title = promtool === undefined ? `${name} (skipped: promtool is not installed)` : name;
  (promtool === undefined ? test.skip : test)(title, run);
}

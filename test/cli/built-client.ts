/** The published form of the client's command line, built once per test run. */
import path from 'node:path';
import { buildCli } from '../../client/build.js';
import { onceInRun } from '../helpers/run/folder.js';

/** Resolves to the path of its file. */
export async function builtCli(): Promise<string> {
  return path.join(await onceInRun('cli', buildCli), 'cli.mjs');
}

/** The command line of the client as it is published, built once for the whole run. */
import path from 'node:path';
import { buildCli } from '../../client/build.js';
import { onceInRun } from './run/folder.js';

/** Resolves to its file. */
export async function builtCli(): Promise<string> {
  return path.join(await onceInRun('cli', buildCli), 'cli.mjs');
}

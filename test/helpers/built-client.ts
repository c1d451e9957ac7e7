/** The command line of the client as the one file that is published, built once for the whole run. */
import path from 'node:path';
import { buildCli } from '../../client/build.js';
import { onceInRun } from './run/folder.js';

/** Resolves to its file. */
export async function builtCli(): Promise<string> {
  const fileIn = (folder: string) => path.join(folder, 'cli.mjs');
  return fileIn(await onceInRun('cli', (folder) => buildCli(fileIn(folder))));
}

/** Builds what several test files need once for the whole run: the first to need it builds it, the others wait for it. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from './eventually.js';

/** Resolves to the folder that was built. It belongs to the run, which removes it at its end. */
export async function buildOnce(
  name: string,
  build: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = path.join(runFolder(), name);
  const outcome = `${folder}.outcome`;
  // It resolves to undefined if the folder exists: of several workers, one creates it.
  const created = await mkdir(folder, { recursive: true });
  if (created !== undefined) {
    const failure = await build(folder).then(
      () => '',
      (error: unknown) => String(error),
    );
    // Renamed into place, so that nobody reads half of it.
    await writeFile(`${outcome}.tmp`, failure);
    await rename(`${outcome}.tmp`, outcome);
  }
  // Other workers have no other sign of the end of a build than this file.
  const failure = await eventually(() => readFile(outcome, 'utf8'), 120_000);
  if (failure !== '') throw new Error(`${name} could not be built: ${failure}`);
  return folder;
}

function runFolder(): string {
  const folder = process.env['TEST_RUN_FOLDER'];
  if (folder === undefined) throw new Error('TEST_RUN_FOLDER is set by the global set-up of jest.');
  return folder;
}

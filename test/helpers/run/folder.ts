/** Artefacts that a test run builds once, on first use by any file or worker, in a folder that is removed after the run. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '../eventually.js';

const asked = new Map<string, Promise<string>>();

/** The folder of this name. The first caller fills it; all others wait for that, or fail with the same error. */
export function onceInRun(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const known = asked.get(name) ?? fillOrWait(path.join(runFolder(), name), fill);
  asked.set(name, known);
  return known;
}

async function fillOrWait(
  folder: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  );
  if (isFirst) await announce(folder, await failureOf(fill(folder)));
  const failure = await eventually(() => readFile(outcomeOf(folder), 'utf8'), 100_000);
  if (failure !== '') throw new Error(failure);
  return folder;
}

const outcomeOf = (folder: string) => `${folder}.outcome`;

/** Renamed into place, so that no reader sees a partial file. */
async function announce(folder: string, failure: string): Promise<void> {
  await writeFile(`${folder}.draft`, failure);
  await rename(`${folder}.draft`, outcomeOf(folder));
}

function failureOf(work: Promise<void>): Promise<string> {
  return work.then(
    () => '',
    (error: unknown) => String(error),
  );
}

function runFolder(): string {
  const folder = process.env['TEST_RUN_FOLDER'];
  if (folder === undefined) throw new Error('jest.config.js must name the globalSetup.');
  return folder;
}

/** Publishes generated files atomically, and removes stale ones. */

import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Product } from './step.js';

export const scratchPrefix = '.scratch-';

export async function publish(
  { files = {}, folders = {} }: Product,
  out: string,
  scratch: string,
): Promise<void> {
  await mkdir(out, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await publishFile(path.join(out, name), text, scratch);
  }
  for (const [name, folder] of Object.entries(folders)) {
    await publishFolder(path.join(out, name), folder, scratch);
  }
}

async function publishFile(target: string, text: string, scratch: string): Promise<void> {
  // An unchanged file keeps its modification time, so that watchers and caches are not triggered.
  if ((await readFile(target, 'utf8').catch(() => undefined)) === text) return;
  const finished = path.join(scratch, path.basename(target));
  await writeFile(finished, text);
  await rename(finished, target);
}

async function publishFolder(target: string, folder: string, scratch: string): Promise<void> {
  const retired = path.join(scratch, `retired-${path.basename(target)}`);
  await rename(target, retired).catch(ignoreMissing);
  await rename(folder, target);
}

/** Removes files that no step creates, except the scratch folders of concurrent runs. */
export async function removeStale(out: string, current: string[]): Promise<void> {
  const present = (await readdir(out).catch(ignoreMissing)) ?? [];
  const names = present.filter((name) => !name.startsWith(scratchPrefix));
  const stale = names.filter((name) => !current.includes(name));
  await Promise.all(stale.map((name) => rm(path.join(out, name), { recursive: true })));
}

function ignoreMissing(error: unknown): undefined {
  const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  if (!missing) throw error;
}

/** What a server takes of a machine: of its disk and of its memory. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sizeOnDisk } from '../../lib/size-on-disk.js';
import type { Installation } from './server.js';

interface LockFile {
  packages: Record<string, { dev?: boolean; link?: boolean; optional?: boolean }>;
}

const megabyte = 1024 ** 2;

export async function packageVersion(folder: string): Promise<string> {
  const { version } = await readJson<{ version: string }>(path.join(folder, 'package.json'));
  return version;
}

/** By the marks of the lock file, by which npm leaves out what is for development. */
export async function measureInstallation({ folder, omitOptional, files }: Installation) {
  const { packages } = await readJson<LockFile>(path.join(folder, 'package-lock.json'));
  const installed = Object.entries(packages)
    .filter(([place, { dev, link }]) => place.includes('node_modules/') && !dev && !link)
    .filter(([, { optional }]) => !(omitOptional && optional))
    .map(([place]) => path.join(folder, place))
    // Others are for other platforms.
    .filter((place) => existsSync(place));
  const places = [...installed, ...files.map((file) => path.join(folder, file))];
  const sizes = await Promise.all(places.map(sizeOnDisk));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { packages: installed.length, megabytes: bytes / megabyte };
}

/** In megabytes; NaN where there is no /proc. */
export async function residentMemory(pid: number): Promise<{ now: number; peak: number }> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]);
  return { now: kilobytes('VmRSS') / 1024, peak: kilobytes('VmHWM') / 1024 };
}

async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(file, 'utf8')) as T;
}

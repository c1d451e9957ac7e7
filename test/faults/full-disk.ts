/** A disk that fills up: a small file system that only root can create. */
import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FaultyCluster } from './cluster.js';
import type { Fault } from './faults.js';

const run = promisify(execFile);

export interface SmallDisk {
  folder: string;
  /** Fills the disk, and frees it again. */
  fill: () => Promise<void>;
  empty: () => Promise<void>;
  remove: () => Promise<void>;
}

export const canMakeDisks = process.platform === 'linux' && process.getuid?.() === 0;

/** A disk that holds a tablespace. */
export async function makeTablespace(
  cluster: FaultyCluster,
): Promise<SmallDisk & { tablespace: string }> {
  const disk = await makeSmallDisk('96m');
  const { uid, gid } = await cluster.owner();
  await chown(disk.folder, uid, gid);
  await cluster.administer(`CREATE TABLESPACE small LOCATION '${disk.folder}'`);
  return { ...disk, tablespace: 'small' };
}

export async function makeSmallDisk(size: string): Promise<SmallDisk> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-hosting-disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder]);
  const filler = path.join(folder, 'filler');
  return {
    folder,
    fill: async () => {
      // In pieces, down to the last page.
      for (const piece of [1_000_000, 4_096]) await fillWith(filler, piece);
    },
    empty: () => rm(filler, { force: true }),
    remove: async () => {
      await run('umount', ['-l', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function fillWith(file: string, bytes: number): Promise<void> {
  const piece = Buffer.alloc(bytes, 1);
  for (;;) {
    try {
      await writeFile(file, piece, { flag: 'a' });
    } catch {
      return;
    }
  }
}

export const fullDisk =
  (disk: SmallDisk, milliseconds: number): Fault =>
  async () => {
    await delay(1_000);
    await disk.fill();
    await delay(milliseconds);
    await disk.empty();
    await delay(1_000);
    return milliseconds;
  };

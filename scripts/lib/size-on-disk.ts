/** How much of a disk a file or a folder takes. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** In bytes, as `du` counts them. Packages within a folder count for themselves. */
export async function sizeOnDisk(place: string): Promise<number> {
  const own = 512 * (await stat(place)).blocks;
  const entries = await readdir(place).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((name) => name !== 'node_modules')
      .map((name) => sizeOnDisk(path.join(place, name))),
  );
  return sizes.reduce((sum, size) => sum + size, own);
}

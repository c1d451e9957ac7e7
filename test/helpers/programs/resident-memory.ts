/** The resident memory of a process. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { residentMegabytes } from '../../../scripts/bench/lib/processor-time.js';

/** In megabytes. Uses `ps` only without /proc, because starting it delays whatever is being measured. */
export async function residentMemory(pid: number): Promise<number> {
  const now = await residentMegabytes(pid);
  return Math.round(Number.isNaN(now) ? await askPs(pid) : now);
}

async function askPs(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1024;
}

/** How much memory a process has now. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** In megabytes. Where there is /proc it is read, since starting `ps` delays whatever is measured at the time. */
export async function residentMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  const kilobytes = status === undefined ? await askPs(pid) : /^VmRSS:\s+(\d+)/m.exec(status)?.[1];
  return Math.round(Number(kilobytes) / 1024);
}

async function askPs(pid: number): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return stdout;
}

/** Processor time and memory of processes, from /proc. NaN on other systems than Linux. */
import { readdir, readFile } from 'node:fs/promises';

/** The unit of the counters in /proc/…/stat. */
const ticksPerSecond = 100;

interface ProcessStat {
  pid: number;
  parent: number;
  /** Processor time of its threads, in seconds. */
  own: number;
  /** Processor time of its children that have ended, in seconds. */
  ended: number;
}

/** The processor time of a process and of all its descendants, in seconds. */
export async function processorSeconds(pid: number): Promise<number> {
  const all = await allProcesses();
  const tree = all.filter((one) => one.pid === pid);
  if (tree.length === 0) return NaN;
  // The list grows during the loop: each process appends its children.
  for (const { pid: parent } of tree) tree.push(...all.filter((one) => one.parent === parent));
  return tree.reduce((sum, { own, ended }) => sum + own + ended, 0);
}

/** In megabytes. */
export async function residentMegabytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1]) / 1024;
}

async function allProcesses(): Promise<ProcessStat[]> {
  const names = await readdir('/proc').catch(() => []);
  const texts = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')),
  );
  return texts.filter((text) => text !== '').map(parseStat);
}

function parseStat(text: string): ProcessStat {
  // The name in parentheses may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const seconds = (first: number) =>
    (Number(fields[first]) + Number(fields[first + 1])) / ticksPerSecond;
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(fields[1]),
    own: seconds(11),
    ended: seconds(13),
  };
}

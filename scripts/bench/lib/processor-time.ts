/** The processor time that a process, with its threads and its children, has used, as Linux counts it. */
import { readdir, readFile } from 'node:fs/promises';

/** Of the counters in /proc/…/stat, whatever the clock of the machine. */
const ticksPerSecond = 100;

interface ProcessStat {
  pid: number;
  parent: number;
  /** Of its threads, also of those that have ended; in seconds, rounded down to ticks. */
  own: number;
  /** Of the children that have ended, with theirs. */
  ended: number;
}

/** In seconds, with the children that run and those that have ended; NaN where there is no /proc, or no such process. */
export async function processorSeconds(pid: number): Promise<number> {
  const tree = await treeOf(pid);
  if (tree.length === 0) return NaN;
  const used = await Promise.all(
    // Both are too low at times, one by rounding and one by threads that have ended.
    tree.map(async ({ pid: one, own, ended }) => ended + Math.max(own, await threadSeconds(one))),
  );
  return used.reduce((sum, own) => sum + own, 0);
}

/** The process and its children, with theirs. */
export async function processTree(pid: number): Promise<number[]> {
  return (await treeOf(pid)).map((one) => one.pid);
}

async function treeOf(pid: number): Promise<ProcessStat[]> {
  const all = await allProcesses();
  const tree = all.filter((one) => one.pid === pid);
  // Grows while it is walked: a process comes before its children.
  for (const { pid: parent } of tree) tree.push(...all.filter((one) => one.parent === parent));
  return tree;
}

async function allProcesses(): Promise<ProcessStat[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => undefined);
        return text === undefined ? [] : [parseStat(text)];
      }),
  );
  return found.flat();
}

/** A line of /proc/…/stat. */
export function parseStat(text: string): ProcessStat {
  // The name, in parentheses, may contain anything.
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

/** Of the threads that run, to the nanosecond; 0 where the kernel does not count so. */
async function threadSeconds(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const used = await Promise.all(
    threads.map(async (thread) => {
      const file = `/proc/${pid}/task/${thread}/schedstat`;
      const text = await readFile(file, 'utf8').catch(() => '');
      return Number.parseInt(text, 10) / 1e9 || 0;
    }),
  );
  return used.reduce((sum, own) => sum + own, 0);
}

/** What the whole machine has used, in seconds of one core; NaN where there is no /proc. */
export async function machineSeconds(): Promise<number> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '');
  const [, user, nice, system, , , irq, softirq] = text.split(/\s+/).map(Number);
  const ticks = [user, nice, system, irq, softirq].reduce<number>(
    (sum, own) => sum + (own ?? NaN),
    0,
  );
  return ticks / ticksPerSecond;
}

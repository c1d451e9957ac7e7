/** The processor time that a process and its children have used, as Linux counts it. */
import { readdir, readFile } from 'node:fs/promises';

/** Linux counts in hundredths of a second, whatever its clock. */
const ticksPerSecond = 100;

/** In seconds; NaN where there is no /proc. */
export async function processorSeconds(pid: number): Promise<number> {
  try {
    const { seconds } = await statOf(pid);
    const children = await childrenOf(pid);
    const theirs = await Promise.all(children.map(processorSeconds));
    return theirs.reduce((sum, own) => sum + own, seconds);
  } catch {
    return NaN;
  }
}

async function statOf(pid: number): Promise<{ parent: number; seconds: number }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, in parentheses, may contain anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { parent: Number(fields[1]), seconds: ticks / ticksPerSecond };
}

async function childrenOf(pid: number): Promise<number[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    all.map(async (one) => {
      const stat = await statOf(one).catch(() => undefined);
      return stat?.parent === pid ? [one] : [];
    }),
  );
  return found.flat();
}

/** Measures CPU time, which other programs on the machine do not affect. */
import { readFileSync } from 'node:fs';

/** The CPU time that the work took in this process, in ms. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The CPU time of a process's event loop, in ms; wall-clock time on systems other than Linux. */
export function loopTime(pid = process.pid): number {
  try {
    // The main thread has the id of the process.
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return performance.now();
  }
}

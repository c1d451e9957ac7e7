/** How long work keeps the processor busy. Other programs on the machine do not prolong it, as they do with time. */
import { readFileSync } from 'node:fs';

/** How long the work kept this process busy, in ms. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** How long the event loop of a process has been at work, in ms. Elsewhere than on Linux it is the time. */
export function loopTime(pid = process.pid): number {
  try {
    // The main thread has the id of the process.
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return performance.now();
  }
}

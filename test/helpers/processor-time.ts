/** How long work keeps the processor busy. Other programs on the machine do not prolong it, as they do with time. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** How long requests wait in a service, in time of its event loop, which other programs on the machine do not affect. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { loopTime } from '../helpers/programs/processor-time.js';
import type { ServiceProcess } from '../helpers/programs/process.js';

/** The longest wait of a request to /healthz in the meantime, in ms. */
export async function longestWait(
  { url, pid }: Pick<ServiceProcess, 'url' | 'pid'>,
  meanwhile: Promise<unknown>,
): Promise<number> {
  const progress = { isOver: false };
  const end = () => (progress.isOver = true);
  void meanwhile.then(end, end);
  let longest = 0;
  do {
    const start = loopTime(pid);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    longest = Math.max(longest, loopTime(pid) - start);
    await delay(5);
  } while (!progress.isOver);
  return longest;
}

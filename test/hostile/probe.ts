import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';

/** Asks a service for /healthz until the signal is aborted; resolves to the longest latency in milliseconds. */
export async function probe(url: string, until: AbortSignal): Promise<number> {
  let longest = 0;
  while (!until.aborted) {
    const start = performance.now();
    const { status } = await fetch(`${url}/healthz`);
    expect(status).toBe(200);
    longest = Math.max(longest, performance.now() - start);
    await delay(5);
  }
  return longest;
}

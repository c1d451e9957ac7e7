/**
 * Asks a service for /healthz until it is told to end, as a program: what the test itself is busy with does not count as
 * the service's latency.
 */
import { setTimeout as delay } from 'node:timers/promises';

const [url = ''] = process.argv.slice(2);
const warmUpProbes = 20;
const over = new AbortController();
process.once('SIGTERM', () => {
  over.abort();
});

let longestMs = 0;
for (let n = 0; !over.signal.aborted; n += 1) {
  // The first ones also measure how long this process takes to compile its own code.
  if (n === warmUpProbes) {
    longestMs = 0;
    process.stdout.write('probing\n');
  }
  const start = performance.now();
  const { status } = await fetch(`${url}/healthz`);
  if (status !== 200) throw new Error(`/healthz answers ${status}.`);
  longestMs = Math.max(longestMs, performance.now() - start);
  await delay(5);
}
process.stdout.write(`at most ${longestMs} ms\n`);

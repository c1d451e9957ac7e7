/**
 * Asks a service for /healthz until it is told to end, as a program: what the test itself is busy with does not count as
 * a wait. Waits are measured in time of the service's event loop, which other programs on the machine do not affect.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { loopTime } from '../helpers/programs/processor-time.js';

const [url = '', pid = ''] = process.argv.slice(2);
const warmUpProbes = 20;
const over = new AbortController();
process.once('SIGTERM', () => {
  over.abort();
});

let longestMs = 0;
for (let n = 0; !over.signal.aborted; n += 1) {
  // The first ones also measure what the service does while this process compiles its own code.
  if (n === warmUpProbes) {
    longestMs = 0;
    process.stdout.write('probing\n');
  }
  const start = loopTime(Number(pid));
  const { status } = await fetch(`${url}/healthz`);
  if (status !== 200) throw new Error(`/healthz answers ${status}.`);
  longestMs = Math.max(longestMs, loopTime(Number(pid)) - start);
  await delay(5);
}
process.stdout.write(`at most ${longestMs} ms\n`);

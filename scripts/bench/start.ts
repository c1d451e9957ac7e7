/** Start-up time with the embedded PostgreSQL, and resident memory at rest and after load. */
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { operatorOf, service, temporaryFolder, type Tenant } from './lib/installation.js';
import { runLoad } from './lib/load.js';
import { residentMegabytes } from './lib/processor-time.js';
import { type BenchContext, figure, type Figure } from './lib/report.js';
import { connections, invoke } from './lib/requests.js';
import { startServer } from './lib/servers.js';
import { median } from './lib/statistics.js';
import { targets } from './lib/targets.js';

/** Long enough to collect the garbage of the start-up and to close its connections. */
const restSeconds = 30;
const loadSeconds = 60;
/** Enough that a minute of load stays below their rate limits. */
const accounts = 15;

export async function benchStart({ rounds, progress }: BenchContext): Promise<Figure[]> {
  const dataDir = await temporaryFolder();
  const environment = { DATA_DIR: dataDir, PORT: '0', LAME_DUCK_MS: '0' };
  const start = () => startServer(service, environment);
  try {
    progress('first start');
    const first = await start();
    const operator = operatorOf(environment);
    const tenants: Tenant[] = [];
    for (let n = 0; n < accounts; n += 1) tenants.push(await operator.newTenant());
    await first.stop();

    const readyMs: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      progress(`start ${round} of ${rounds}`);
      const started = await start();
      readyMs.push(started.readyMs);
      await started.stop();
    }

    const { url, pid, stop } = await start();
    progress(`at rest for ${restSeconds} s`);
    await delay(restSeconds * 1000);
    const rest = await residentMegabytes(pid);
    progress(`under load for ${loadSeconds} s`);
    const send = tenants.map((tenant) => invoke(tenant));
    await runLoad({ url, connections, seconds: loadSeconds, send });
    const loaded = await residentMegabytes(pid);
    await stop();

    const goals = targets.start;
    return [
      figure('first start, with a new database', first.readyMs, 'ms'),
      figure('ready, with existing data', median(readyMs), 'ms', goals.readyMs),
      figure('resident memory of Node at rest', rest, 'MB', goals.restMegabytes),
      figure('resident memory of Node after a minute of load', loaded, 'MB', goals.loadedMegabytes),
    ];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

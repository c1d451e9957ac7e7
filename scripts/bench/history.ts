/** Compares the latency of reads before and after the history of an agent grows a hundredfold. */
import pg from 'pg';
import { days, fillHistory, prepareTexts } from './history/fill.js';
import { layOutPartitions } from './history/partitions.js';
import { readsOf } from './history/reads.js';
import { type Tenant, withInstallation } from './lib/installation.js';
import { type BenchContext, share, type Figure } from './lib/report.js';
import { type Contender, measureInTurn } from './lib/rounds.js';
import { targets } from './lib/targets.js';

const sizes = { small: 10_000, large: 1_000_000 };

/** Requests per read and round, sent one at a time, so that only the read itself is measured. */
const requests = 40;

export function benchHistory({ rounds, progress }: BenchContext): Promise<Figure[]> {
  return withInstallation(async ({ cluster, start, run, newTenant }) => {
    await run('migrate');
    const [small, large] = [await newTenant(), await newTenant()];
    const client = new pg.Client({ connectionString: cluster.url });
    await client.connect();
    await layOutPartitions(client, days);
    await prepareTexts(client);
    for (const [tenant, entries] of [
      [small, sizes.small],
      [large, sizes.large],
    ] as const) {
      progress(`inserting ${entries.toLocaleString('en')} rows per table`);
      await fillHistory(client, tenant, entries);
    }
    await client.query('VACUUM ANALYZE');
    await client.end();

    const { url } = await start();
    const figures: Figure[] = [];
    for (const [title, request] of Object.entries(readsOf())) {
      const read = (tenant: Tenant): Contender => ({
        load: () => ({ url, connections: 1, requests, send: [request(tenant)] }),
      });
      progress(title);
      const { median, ratio } = await measureInTurn(
        { small: read(small), large: read(large) },
        { rounds, progress: () => undefined },
      );
      const ms = median('large', 'p50').toFixed(1);
      const { growth } = targets.history;
      figures.push(share(`${title} (${ms} ms at 10^6)`, ratio('large', 'small', 'p50'), growth));
    }
    return figures;
  });
}

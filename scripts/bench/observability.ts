/** What metrics and traces cost: Invoke without them, with each, and with both. */
import { compare, type Compared } from './lib/compare.js';
import type { BenchContext } from './lib/context.js';
import { withEnvironment } from './lib/environment.js';
import { connections, invoke } from './lib/loads.js';
import { targets } from './lib/targets.js';
import { newTenant } from './lib/tenant.js';

const token = 'a-token-for-the-benchmark';

export async function benchObservability({ rounds = 7, report }: BenchContext): Promise<void> {
  await withEnvironment(async (environment) => {
    const { database, secrets, start, startService } = environment;
    const collector = await start(['scripts/bench/observability/collector.ts']);
    const metrics = { METRICS_TOKEN: token };
    const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: collector };
    const contender = async (
      title: string,
      settings: Record<string, string>,
    ): Promise<Compared> => {
      const url = await startService(settings);
      return {
        title,
        url,
        load: async () => invoke(url, await newTenant(database, secrets)),
        ...(settings['METRICS_TOKEN'] !== undefined && { afterRound: () => scrape(url) }),
        base: 'neither',
        goals: { nodeCpu: targets.observability },
      };
    };
    const contenders = [
      await contender('neither', {}),
      await contender('metrics', metrics),
      await contender('traces', traces),
      await contender('both', { ...metrics, ...traces }),
    ];
    const note = `${connections} connections`;
    report(await compare(environment, contenders, { title: 'Observability', note, rounds }));
  });
}

async function scrape(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/metrics`, { headers });
  await response.text();
}

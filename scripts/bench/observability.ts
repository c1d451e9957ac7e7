/** What metrics and traces cost: Invoke without them, with each, and with both. */
import { withEnvironment } from './lib/environment.js';
import { compareInvoking } from './lib/invoking.js';

const token = 'a-token-for-the-benchmark';

export async function benchObservability(): Promise<void> {
  await withEnvironment(async (environment) => {
    const { start, startService } = environment;
    const collector = await start(['scripts/bench/observability/collector.ts']);
    const metrics = { METRICS_TOKEN: token };
    const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: collector };
    const scraped = (url: string) => async () => {
      const response = await fetch(`${url}/metrics`, {
        headers: { authorization: `Bearer ${token}` },
      });
      await response.text();
    };
    const withMetrics = await startService(metrics);
    const withBoth = await startService({ ...metrics, ...traces });
    await compareInvoking(environment, [
      { title: 'neither', url: await startService() },
      { title: 'metrics', url: withMetrics, afterRound: scraped(withMetrics) },
      { title: 'traces', url: await startService(traces) },
      { title: 'both', url: withBoth, afterRound: scraped(withBoth) },
    ]);
    console.log('Each may take 5 % more of Node at most (the last ratio at most 1.05).');
  });
}

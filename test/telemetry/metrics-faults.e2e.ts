/** `/metrics` while the database fails, and on a port that is in use. */
import { describe, expect, test } from '@jest/globals';
import { withConnectTimeout } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { startHttpServer } from '../helpers/servers/http-server.js';
import { scrape, scrapeWithDatabase } from '../helpers/text/prometheus.js';
import { proxyTo } from '../helpers/servers/database-proxy.js';
import { type Environment, useService } from '../helpers/service/service.js';

const token = 'a-token-for-metrics-4711';
const service = useService();

/** An instance that serves metrics, and takes no work. */
const another = (environment: Environment = {}) =>
  service.another({
    METRICS_TOKEN: token,
    WORKER: 'off',
    ASYNC_CONCURRENCY: '0',
    ...environment,
  });

describe('when the database fails', () => {
  const proxy = useFixture(
    () => proxyTo(service.databaseUrl),
    (started) => started.close(),
  );

  test('a scrape still works, and reports it', async () => {
    const { url } = await another({
      DATABASE_URL: withConnectTimeout(proxy.url, 1),
    });
    await scrapeWithDatabase(url, { token });
    await proxy.cut();
    await eventually(async () => {
      const exposition = await scrape(url, { token });
      expect(exposition.value('agent_hosting_database_up')).toBe(0);
      expect(exposition.value('agent_hosting_queue_depth', { queue: 'deliveries' })).toBeNaN();
      expect(exposition.value('process_resident_memory_bytes')).toBeGreaterThan(0);
    }, 30_000);
    await proxy.restore();
    await scrapeWithDatabase(url, { token });
  });

  test('a hanging database does not delay a scrape', async () => {
    const { url } = await another({ DATABASE_URL: proxy.url });
    proxy.freeze();
    const exposition = await scrape(url, { token });
    expect(exposition.value('agent_hosting_database_up')).toBe(0);
    proxy.thaw();
  });
});

describe('a start', () => {
  test('that finds the metrics port in use says which variable to change', async () => {
    const taken = await startHttpServer((_req, res) => res.end());
    const starting = another({ METRICS_PORT: String(taken.port) });
    await expect(starting).rejects.toThrow(
      `Port ${taken.port} is in use on 127.0.0.1. Set METRICS_PORT to another one`,
    );
    await taken.stop();
  });
});

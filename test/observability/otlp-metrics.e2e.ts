/** Metrics over OTLP: a collector receives the same values as `/metrics`, from one process and from several. */
import { expect, test } from '@jest/globals';
import { apiClient } from '../helpers/service/api.js';
import {
  type CollectedPoint,
  type Collector,
  startCollector,
} from '../helpers/servers/collector.js';
import { eventually } from '../helpers/eventually.js';
import { startServiceProcess } from '../helpers/programs/process.js';
import { scrape } from '../helpers/text/prometheus.js';
import { environmentFor, useAgent, useService, useTenant } from '../helpers/service/service.js';
import { message } from '../invoke/service-with-model.js';

const observer = useService({ WORKER: 'off', ASYNC_CONCURRENCY: '0' });
const tenant = useTenant(observer);
const agent = useAgent(tenant);
const token = 'a-token-for-metrics-4711';

const sending = (url: string) => ({
  OTEL_METRICS_EXPORTER: 'otlp',
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${url}/v1/metrics`,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_METRIC_EXPORT_INTERVAL: '200',
});

/** The last points of all processes. */
function select(
  { points }: Collector,
  name: string,
  attributes: Record<string, string> = {},
): CollectedPoint[] {
  const wanted = Object.entries(attributes);
  return [...points.values()]
    .flat()
    .filter((point) => point.name === name)
    .filter((point) => wanted.every(([key, value]) => point.attributes[key] === value));
}

const sum = (points: CollectedPoint[]) => points.reduce((all, { value }) => all + value, 0);

test('a collector receives the values of a scrape, and traces are off', async () => {
  const collector = await startCollector();
  const instance = await observer.another({
    ...sending(collector.url),
    METRICS_TOKEN: token,
    OTEL_SERVICE_NAME: 'agents-under-test',
  });
  const api = instance.api(tenant.key);
  for (let count = 0; count < 3; count += 1) {
    await api.expect('invokeAgent', 200, message(agent.id, 'Hello'));
  }
  const ofAgent = { agent_id: agent.id, outcome: 'succeeded' };
  await eventually(() => {
    expect(sum(select(collector, 'agent_hosting_invocations_total', ofAgent))).toBe(3);
    expect(sum(select(collector, 'agent_hosting_database_up'))).toBe(1);
  }, 20_000);
  const [counter] = select(collector, 'agent_hosting_invocations_total', ofAgent);
  expect(counter).toMatchObject({
    type: 'sum',
    attributes: { agent: agent.name, agent_id: agent.id, outcome: 'succeeded' },
    resource: { 'service.name': 'agents-under-test', 'service.version': '0.1.0' },
  });
  expect(select(collector, 'agent_hosting_queue_depth')).toMatchObject([
    { type: 'gauge', value: 0, attributes: { queue: 'invocations' } },
    { type: 'gauge', value: 0, attributes: { queue: 'deliveries' } },
  ]);

  const exposition = await scrape(instance.url, { token });
  const duration = 'agent_hosting_http_request_duration_seconds';
  const operation = { operation: 'invokeAgent' };
  const [histogram] = select(collector, duration, operation);
  expect(histogram?.type).toBe('histogram');
  expect(histogram?.value).toBe(exposition.value(`${duration}_sum`, operation));
  expect(histogram?.counts?.all).toBe(3);
  expect(histogram?.counts?.boundaries.at(-1)).toBe(600);
  // Cumulative counts, as in Prometheus.
  let below = 0;
  const cumulative = histogram?.counts?.buckets.map((count) => (below += count));
  const buckets = exposition.select(`${duration}_bucket`, operation);
  expect(cumulative).toEqual(buckets.map(({ value }) => value));

  const names = new Set([...collector.points.values()].flat().map(({ name }) => name));
  // Without families that have no series at the moment.
  const scraped = [...exposition.families.values()].filter(({ samples }) => samples.length > 0);
  expect(names).toEqual(new Set(scraped.map(({ name }) => name)));
  expect(collector.requests.every(({ path }) => path === '/v1/metrics')).toBe(true);
  await instance.stop();
  await collector.stop();
});

test('the last values are sent when the service stops', async () => {
  const collector = await startCollector();
  const instance = await observer.another({
    ...sending(collector.url),
    OTEL_METRIC_EXPORT_INTERVAL: '600000',
  });
  await instance.api(tenant.key).expect('invokeAgent', 200, message(agent.id, 'Hello'));
  expect(collector.requests).toEqual([]);
  await instance.stop();
  const ofAgent = { agent_id: agent.id, outcome: 'succeeded' };
  expect(sum(select(collector, 'agent_hosting_invocations_total', ofAgent))).toBe(1);
  await collector.stop();
});

test('a collector that rejects data is reported once, and once more when it recovers', async () => {
  const collector = await startCollector();
  collector.behave = (res) => res.writeHead(401).end('a-secret-of-the-collector');
  const instance = await observer.another(sending(collector.url));
  const said = (text: string) => instance.log.filter((line) => line.includes(text));
  await eventually(() => {
    expect(collector.requests.length).toBeGreaterThan(2);
  }, 20_000);
  expect(said('sending metrics failed')).toHaveLength(1);
  expect(said('sending metrics failed')[0]).toContain('status 401');
  collector.behave = undefined;
  await eventually(() => {
    expect(said('sending metrics works again')).toHaveLength(1);
  }, 20_000);
  expect(instance.log.join('')).not.toContain('a-secret-of');
  await instance.stop();
  await collector.stop();
});

test('each of the WORKERS sends its metrics under its own id, and one of them sends the queues', async () => {
  const collector = await startCollector();
  const running = await startServiceProcess({
    environment: {
      ...environmentFor(observer),
      ...sending(collector.url),
      WORKERS: '2',
      OTEL_RESOURCE_ATTRIBUTES: 'service.instance.id=pod-7',
    },
  });
  try {
    const api = apiClient(running.url, tenant.key);
    const call = { ...message(agent.id, 'Hello'), headers: { connection: 'close' } };
    for (let count = 0; count < 20; count += 1) await api.expect('invokeAgent', 200, call);
    await eventually(() => {
      const ofAgent = { agent_id: agent.id, outcome: 'succeeded' };
      expect(sum(select(collector, 'agent_hosting_invocations_total', ofAgent))).toBe(20);
      expect(select(collector, 'agent_hosting_queue_depth')).toHaveLength(2);
      const responding = select(collector, 'agent_hosting_workers', { state: 'responding' });
      expect(responding).toMatchObject([{ value: 2 }]);
    }, 30_000);
    const ids = [...collector.points.keys()];
    expect(ids).toHaveLength(3);
    for (const id of ids) expect(id).toMatch(/^pod-7-\d+$/);
  } finally {
    expect(await running.end('SIGTERM')).toBe(0);
    await collector.stop();
  }
}, 120_000);

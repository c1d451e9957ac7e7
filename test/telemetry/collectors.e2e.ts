/** The standard OpenTelemetry variables. Failing collectors lose traces, but delay neither requests nor shutdown. */
import { describe, expect, test } from '@jest/globals';
import { startCollector } from './collector.js';
import { eventually } from '../helpers/eventually.js';
import { startHttpServer } from '../helpers/servers/http-server.js';
import { startServiceProcess } from '../helpers/programs/process.js';
import { environmentFor, useAgent, useService, useTenant } from '../helpers/service/service.js';
import { message } from '../invocations/service-with-model.js';

const service = useService({ WORKER: 'off' });
const tenant = useTenant(service);
const agent = useAgent(tenant);

const tracing = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_BSP_SCHEDULE_DELAY: '100',
});

const invoke = (url: string) =>
  fetch(`${url}/v1/agents/${agent.id}/invoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(message(agent.id, 'Hello').body),
  });

describe('a collector', () => {
  test('that never answers delays neither requests nor the shutdown', async () => {
    const own = await startCollector();
    own.behave = () => undefined;
    const running = await startServiceProcess({
      environment: {
        ...environmentFor(service),
        ...tracing(own.url),
        OTEL_BSP_MAX_QUEUE_SIZE: '50',
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '50',
        // Longer than the test may take, so that nothing ends because of it.
        OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
        OTEL_BSP_EXPORT_TIMEOUT: '600000',
      },
    });
    // More spans than the queue holds: the rest is dropped.
    const answers = await Promise.all(Array.from({ length: 100 }, () => invoke(running.url)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await eventually(() => {
      expect(own.requests.length).toBeGreaterThan(0);
    });
    expect(await running.end('SIGTERM')).toBe(0);
    expect(running.stdout().match(/sending traces failed/g)).toHaveLength(1);
    await own.stop();
  });

  test('that rejects spans is reported once, and once more when it recovers', async () => {
    const own = await startCollector();
    own.behave = (res) => res.writeHead(401).end('a-secret-of-the-collector');
    const instance = await service.another({
      ...tracing(own.url),
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a-secret-of-the-service',
    });
    const said = (text: string) => instance.log.filter((line) => line.includes(text));
    await eventually(async () => {
      await invoke(instance.url);
      expect(own.requests.length).toBeGreaterThan(2);
    }, 30_000);
    expect(own.requests[0]?.headers['x-key']).toBe('a-secret-of-the-service');
    expect(said('sending traces failed')).toHaveLength(1);
    expect(said('sending traces failed')[0]).toContain('status 401');
    own.behave = undefined;
    await eventually(async () => {
      await invoke(instance.url);
      expect(said('sending traces works again')).toHaveLength(1);
    }, 30_000);
    expect(instance.log.join('')).not.toContain('a-secret-of');
    await instance.stop();
    await own.stop();
  });

  test('that is unreachable is reported, and requests are served', async () => {
    const gone = await startHttpServer((_req, res) => res.end());
    await gone.stop();
    const instance = await service.another(tracing(gone.url));
    expect((await invoke(instance.url)).status).toBe(200);
    await instance.stop();
    expect(instance.log.filter((line) => line.includes('sending traces failed'))).toHaveLength(1);
  });

  test('receives the remaining spans when the service stops, as protobuf', async () => {
    const own = await startCollector();
    const instance = await service.another({ OTEL_EXPORTER_OTLP_ENDPOINT: own.url });
    const { headers } = await invoke(instance.url);
    await instance.stop();
    const [batch] = own.requests;
    expect(batch?.headers['content-type']).toBe('application/x-protobuf');
    const body = batch?.body.toString('latin1') ?? '';
    for (const text of ['invoke_agent', 'chat echo', headers.get('x-request-id') ?? '?']) {
      expect(body).toContain(text);
    }
    await own.stop();
  });
});

describe('the standard variable', () => {
  /** Invokes an agent with these settings, and stops the service. */
  async function trace(settings: Record<string, string>) {
    const own = await startCollector();
    const instance = await service.another({
      ...tracing(own.url),
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      ...settings,
    });
    expect((await invoke(instance.url)).status).toBe(200);
    await instance.stop();
    await own.stop();
    return { ...own, log: instance.log.join('') };
  }

  test.each([
    ['OTEL_SDK_DISABLED', 'true'],
    ['OTEL_TRACES_EXPORTER', 'none'],
    ['OTEL_TRACES_SAMPLER', 'always_off'],
    ['OTEL_TRACES_SAMPLER', 'parentbased_always_off'],
  ])('%s=%s sends nothing', async (name, value) => {
    const { requests } = await trace({ [name]: value });
    expect(requests).toEqual([]);
  });

  test('OTEL_EXPORTER_OTLP_COMPRESSION compresses the exported data', async () => {
    const { requests } = await trace({
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    });
    expect(requests[0]?.headers['content-encoding']).toBe('gzip');
  });

  test('OTEL_TRACES_SAMPLER_ARG sets the sampled share', async () => {
    const sampler = { OTEL_TRACES_SAMPLER: 'traceidratio' };
    const none = await trace({ ...sampler, OTEL_TRACES_SAMPLER_ARG: '0' });
    expect(none.requests).toEqual([]);
    const all = await trace({ ...sampler, OTEL_TRACES_SAMPLER_ARG: '1' });
    expect(all.requests).not.toEqual([]);
  });

  test('OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT truncates attribute values', async () => {
    const { spans } = await trace({ OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: '5' });
    const values = spans.flatMap(({ attributes }) => Object.values(attributes));
    const texts = values.filter((value) => typeof value === 'string');
    expect(Math.max(...texts.map(({ length }) => length))).toBe(5);
  });

  test.each([
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '-1'],
    ['OTEL_PROPAGATORS', 'jaeger'],
  ])('%s=%s causes a warning, and traces are sent', async (name, value) => {
    const { requests, log } = await trace({ [name]: value });
    expect(requests).not.toEqual([]);
    expect(log).toMatch(new RegExp(`OpenTelemetry: .*${value}`));
  });
});

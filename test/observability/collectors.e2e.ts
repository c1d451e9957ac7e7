/** Collectors in trouble: they cost traces, and neither requests nor the end of the service. */
import { describe, expect, test } from '@jest/globals';
import { startCollector, useCollector } from '../helpers/collector.js';
import { eventually } from '../helpers/eventually.js';
import { startHttpServer } from '../helpers/http-server.js';
import { useAgent, useService, useTenant } from '../helpers/service.js';
import { message } from '../invoke/world.js';

const collector = useCollector();
const service = useService({ WORKER: 'off' });
const tenant = useTenant(service);
const agent = useAgent(tenant);

const tracing = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  // Longer than this test may take, so that nothing here ends because of it.
  OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
});

const invoke = (url: string) =>
  fetch(`${url}/v1/agents/${agent.id}/invoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(message(agent.id, 'Hello').body),
  });

describe('a collector', () => {
  test('that never answers is not waited for, neither by requests nor by the end', async () => {
    const hanging: { isClosed: boolean }[] = [];
    const own = await startCollector();
    own.behave = (res) => {
      const connection = { isClosed: false };
      hanging.push(connection);
      res.once('close', () => (connection.isClosed = true));
    };
    const instance = await service.another(tracing(own.url));
    // More spans than wait at most: the rest is dropped.
    for (let round = 0; round < 40; round += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => invoke(instance.url)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    }
    await eventually(() => {
      expect(hanging.length).toBeGreaterThan(0);
    });
    await instance.stop();
    await eventually(() => {
      expect(hanging.every(({ isClosed }) => isClosed)).toBe(true);
    });
    await own.stop();
  });

  test('that refuses is told of once, and once more when it works again', async () => {
    const own = await startCollector();
    own.behave = (res) => res.writeHead(401).end();
    const instance = await service.another({
      ...tracing(own.url),
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a-secret-of-the-collector',
    });
    const said = (text: string) => instance.log.filter((line) => line.includes(text));
    await eventually(async () => {
      await invoke(instance.url);
      expect(own.requests.length).toBeGreaterThan(2);
    }, 30_000);
    expect(said('sending traces failed')).toHaveLength(1);
    expect(said('sending traces failed')[0]).toContain('status 401');
    own.behave = undefined;
    await eventually(async () => {
      await invoke(instance.url);
      expect(said('sending traces works again')).toHaveLength(1);
    }, 30_000);
    expect(instance.log.join('')).not.toContain('a-secret-of-the-collector');
    await instance.stop();
    await own.stop();
  });

  test('that nobody is at is no problem for anybody else', async () => {
    const gone = await startHttpServer((_req, res) => res.end());
    await gone.stop();
    const instance = await service.another(tracing(gone.url));
    expect((await invoke(instance.url)).status).toBe(200);
    await instance.stop();
    expect(instance.log.filter((line) => line.includes('sending traces failed'))).toHaveLength(1);
  });

  test('gets what is left when the service stops, in the form that it wants', async () => {
    const instance = await service.another({
      ...tracing(collector.url),
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    });
    const { headers } = await invoke(instance.url);
    await instance.stop();
    const [batch] = collector.requests;
    expect(batch?.headers['content-type']).toBe('application/x-protobuf');
    const body = batch?.body.toString('latin1') ?? '';
    for (const text of ['invoke_agent', 'chat echo', headers.get('x-request-id') ?? '?']) {
      expect(body).toContain(text);
    }
  });
});

test.each([
  ['OTEL_SDK_DISABLED', 'true'],
  ['OTEL_TRACES_EXPORTER', 'none'],
  ['OTEL_TRACES_SAMPLER', 'always_off'],
])('%s=%s sends nothing', async (name, value) => {
  const own = await startCollector();
  const instance = await service.another({ ...tracing(own.url), [name]: value });
  expect((await invoke(instance.url)).status).toBe(200);
  await instance.stop();
  expect(own.requests).toEqual([]);
  await own.stop();
});

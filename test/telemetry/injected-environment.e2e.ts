/** OpenTelemetry variables that a platform injects into all programs: the service starts and warns about unusable ones. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Collector, startCollector } from './collector.js';
import { apiClient } from '../helpers/service/api.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';
import {
  environmentFor,
  type Environment,
  useAgent,
  useService,
  useTenant,
} from '../helpers/service/service.js';
import { message } from '../invocations/service-with-model.js';

const observer = useService({ WORKER: 'off', ASYNC_CONCURRENCY: '0' });
const tenant = useTenant(observer);
const agent = useAgent(tenant);

const timeoutMs = 120_000;
let collector: Collector | undefined;
let running: ServiceProcess | undefined;

afterEach(async () => {
  await running?.end('SIGTERM');
  await collector?.stop();
  [running, collector] = [undefined, undefined];
});

/** Starts a service with the variables, invokes an agent, and stops the service. Returns its warnings and exports. */
async function invokeOnce(inject: (url: string) => Environment) {
  collector = await startCollector();
  running = await startServiceProcess({
    environment: { ...environmentFor(observer), ...inject(collector.url) },
  });
  const api = apiClient(running.url, tenant.key);
  await api.expect('invokeAgent', 200, message(agent.id, 'Hello'));
  expect(await running.end('SIGTERM')).toBe(0);
  const lines = running.stdout().trim().split('\n');
  const warnings = lines
    .filter((line) => line.startsWith('{"'))
    .map((line) => JSON.parse(line) as { level: string; msg: string })
    .filter(({ level, msg }) => level === 'warn' && msg.includes('OTEL_'))
    .map(({ msg }) => msg);
  return { ...collector, warnings, stdout: running.stdout() };
}

describe('OTEL_EXPORTER_OTLP_PROTOCOL=grpc', () => {
  test(
    'causes one warning, and traces are sent as http/protobuf',
    async () => {
      const { requests, warnings } = await invokeOnce((url) => ({
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
        WORKERS: '2',
      }));
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatch(/^OTEL_EXPORTER_OTLP_PROTOCOL .*'grpc'.*4317 and 4318/);
      const paths = new Set(requests.map(({ path }) => path));
      expect(paths).toEqual(new Set(['/v1/traces']));
      for (const { headers } of requests) {
        expect(headers['content-type']).toBe('application/x-protobuf');
      }
    },
    timeoutMs,
  );
});

test(
  'unsupported values cause warnings, each naming its variable',
  async () => {
    const { requests, warnings } = await invokeOnce((url) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_SDK_DISABLED: 'no',
      OTEL_TRACES_EXPORTER: 'zipkin',
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_LOGS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'thrift',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'span_only',
      OTEL_PROPAGATORS: 'tracecontext,baggage',
    }));
    expect(warnings.map((warning) => warning.split(' ')[0]).sort()).toEqual([
      'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
      'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT',
      'OTEL_SDK_DISABLED',
      'OTEL_TRACES_EXPORTER',
    ]);
    expect(requests.map(({ path }) => path)).toEqual(['/v1/traces']);
  },
  timeoutMs,
);

test(
  'an endpoint that is not an HTTP URL causes a warning without its value',
  async () => {
    const { warnings } = await invokeOnce(() => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'user:a-password@collector:4317',
    }));
    expect(warnings).toEqual([
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_ENDPOINT must be a URL .*no traces are sent/),
    ]);
    expect(warnings[0]).not.toContain('a-password');
  },
  timeoutMs,
);

test(
  'OTEL_TRACES_EXPORTER=console writes spans to standard output and sends none',
  async () => {
    const { requests, stdout } = await invokeOnce((url) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_TRACES_EXPORTER: 'console',
    }));
    expect(stdout).toContain(`invoke_agent ${agent.name}`);
    expect(requests).toEqual([]);
  },
  timeoutMs,
);

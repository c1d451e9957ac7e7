/** The configuration that is read from the environment. */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { inProject } from '../../scripts/lib/project.js';
import { loadConfig, loadDatabaseConfig } from '../../server/config/config.js';

const key = Buffer.alloc(32, 7).toString('base64');
const previousKey = Buffer.alloc(32, 8).toString('base64');
const url = 'postgresql://user:hunter2@db.example.com:5432/agents';

test('an empty environment is a complete configuration', () => {
  expect(loadConfig({})).toEqual({
    port: 3000,
    host: '127.0.0.1',
    workers: 1,
    dataDir: path.resolve('data'),
    database: {
      url: undefined,
      directUrl: undefined,
      pooled: false,
      poolSize: 20,
      waitMs: 30_000,
      statementTimeoutMs: 10_000,
    },
    secretsKey: undefined,
    previousSecretsKeys: [],
    sharesRateLimits: false,
    trustProxy: [],
    corsOrigins: [],
    hasConsole: true,
    allowPrivateTargets: false,
    webhooks: { deliverHere: true, caFile: undefined, hostConcurrency: 16 },
    logLevel: 'info',
    models: {
      openai: undefined,
      anthropic: undefined,
      local: undefined,
      servers: {},
      embeddingModel: undefined,
    },
    asyncConcurrency: 16,
    maxBytesInFlight: expect.any(Number),
    maxBodyBytes: 1_048_576,
    retentionDays: undefined,
    tls: undefined,
    lameDuckMs: process.stdout.isTTY ? 0 : 5000,
    shutdownTimeoutMs: 10_000,
    streamGraceMs: 30_000,
  });
});

test('every variable is read', () => {
  const config = loadConfig({
    PORT: '8080',
    HOST: '0.0.0.0',
    WORKERS: '3',
    DATA_DIR: '/var/lib/agents',
    DATABASE_URL: url,
    DIRECT_DATABASE_URL: `${url}_direct`,
    DATABASE_POOL_SIZE: '50',
    DATABASE_WAIT_MS: '4000',
    DATABASE_STATEMENT_TIMEOUT_MS: '2000',
    SECRETS_KEY: key,
    SECRETS_KEY_PREVIOUS: `${previousKey}, ${key}`,
    TRUST_PROXY: '10.0.0.0/8, ::1',
    CORS_ORIGINS: 'https://a.example.com,http://localhost:5173',
    CONSOLE: 'off',
    ALLOW_PRIVATE_TARGETS: 'true',
    WORKER: 'off',
    WEBHOOK_CA_FILE: 'receivers.pem',
    WEBHOOK_HOST_CONCURRENCY: '32',
    LOG_LEVEL: 'debug',
    METRICS_TOKEN: 'a-token-for-metrics-4711',
    METRICS_PORT: '10.0.0.7:9464',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
    OTEL_SERVICE_NAME: 'agents',
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    OPENAI_API_KEY: 'one',
    OPENAI_BASE_URL: 'https://gateway.example.com/openai',
    ANTHROPIC_API_KEY: 'two',
    ANTHROPIC_BASE_URL: 'https://gateway.example.com/anthropic',
    LOCAL_BASE_URL: 'http://127.0.0.1:11434/v1',
    LOCAL_API_KEY: 'three',
    EMBEDDING_MODEL: 'local/nomic-embed-text',
    ASYNC_CONCURRENCY: '0',
    STREAM_GRACE_MS: '20000',
    MAX_ANSWER_BYTES_IN_FLIGHT: '100000000',
    MAX_BODY_BYTES: '2097152',
    RETENTION_DAYS: '90',
    TLS_CERT: 'cert.pem',
    TLS_KEY: 'key.pem',
    LAME_DUCK_MS: '3000',
    SHUTDOWN_TIMEOUT_MS: '5000',
  });
  expect(config).toEqual({
    port: 8080,
    host: '0.0.0.0',
    workers: 3,
    dataDir: '/var/lib/agents',
    database: {
      url,
      directUrl: `${url}_direct`,
      pooled: true,
      poolSize: 50,
      waitMs: 4000,
      statementTimeoutMs: 2000,
    },
    secretsKey: Buffer.alloc(32, 7),
    previousSecretsKeys: [Buffer.alloc(32, 8), Buffer.alloc(32, 7)],
    sharesRateLimits: true,
    trustProxy: ['10.0.0.0/8', '::1'],
    corsOrigins: ['https://a.example.com', 'http://localhost:5173'],
    hasConsole: false,
    allowPrivateTargets: true,
    webhooks: {
      deliverHere: false,
      caFile: 'receivers.pem',
      hostConcurrency: 32,
    },
    logLevel: 'debug',
    metrics: {
      token: 'a-token-for-metrics-4711',
      listener: { port: 9464, host: '10.0.0.7' },
    },
    tracing: {
      protocol: 'http/protobuf',
      exporters: ['otlp'],
      environment: {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
        OTEL_SERVICE_NAME: 'agents',
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      },
      captureContent: true,
    },
    models: {
      openai: { apiKey: 'one', baseUrl: 'https://gateway.example.com/openai' },
      anthropic: { apiKey: 'two', baseUrl: 'https://gateway.example.com/anthropic' },
      local: { baseUrl: 'http://127.0.0.1:11434/v1', apiKey: 'three' },
      servers: {},
      embeddingModel: 'local/nomic-embed-text',
    },
    asyncConcurrency: 0,
    streamGraceMs: 20_000,
    maxBytesInFlight: 100_000_000,
    maxBodyBytes: 2_097_152,
    retentionDays: 90,
    tls: { certFile: 'cert.pem', keyFile: 'key.pem' },
    lameDuckMs: 3000,
    shutdownTimeoutMs: 5000,
  });
});

test('.env.example lists exactly the variables that are read', async () => {
  const read = new Set<string>();
  loadConfig(
    new Proxy<Record<string, string>>(
      {},
      {
        get: (_, name) => void read.add(String(name)),
      },
    ),
  );
  const example = await readFile(inProject('.env.example'), 'utf8');
  const listed = [...example.matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual([...read].sort());
});

test('the defaults that .env.example shows are the defaults', async () => {
  const example = await readFile(inProject('.env.example'), 'utf8');
  const shown = Object.fromEntries(
    [
      ...example.matchAll(/^#(PORT|HOST|WORKERS|[A-Z_]+_MS|DATABASE_POOL_SIZE|LOG_LEVEL)=(.*)$/gm),
    ].map(([, name = '', value = '']) => [name, value]),
  );
  expect(Object.keys(shown).length).toBeGreaterThan(4);
  expect(loadConfig(shown)).toEqual(loadConfig({}));
});

test('with a shared database, rate limits are shared and every connection is direct', () => {
  const config = loadConfig({ DATABASE_URL: url, SECRETS_KEY: key });
  expect(config.sharesRateLimits).toBe(true);
  expect(config.database).toMatchObject({ url, directUrl: url, pooled: false });
});

test('metrics and traces are off by default', () => {
  expect(loadConfig({})).toMatchObject({ metrics: undefined, tracing: undefined });
  const token = 'a-token-for-metrics-4711';
  expect(loadConfig({ METRICS_TOKEN: token }).metrics).toEqual({
    token,
    listener: undefined,
  });
  expect(loadConfig({ METRICS_PORT: '9464', HOST: '0.0.0.0' }).metrics).toEqual({
    token: undefined,
    listener: { port: 9464, host: '0.0.0.0' },
  });
  expect(loadConfig({ METRICS_PORT: '[::1]:9464' }).metrics?.listener?.host).toBe('::1');
  expect(loadConfig({ METRICS_PORT: 'node-1:0' }).metrics?.listener).toEqual({
    port: 0,
    host: 'node-1',
  });
  const endpoint = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example/traces' };
  expect(loadConfig(endpoint).tracing).toEqual({
    environment: endpoint,
    protocol: 'http/protobuf',
    exporters: ['otlp'],
    captureContent: false,
  });
  expect(loadConfig(endpoint).metrics).toBeUndefined();
  expect(loadConfig({ OTEL_TRACES_EXPORTER: 'otlp' }).tracing).toBeDefined();
  expect(loadConfig({ OTEL_TRACES_EXPORTER: 'otlp, console' }).tracing?.exporters).toEqual([
    'otlp',
    'console',
  ]);
  expect(loadConfig({ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }).tracing).toBeUndefined();
  expect(loadConfig({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }).tracing).toBeUndefined();
});

describe('an unsupported OpenTelemetry variable causes a warning:', () => {
  const endpoint = 'http://collector:4318';
  const grpc = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  test.each([
    [
      { ...grpc, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4317' },
      /^OTEL_EXPORTER_OTLP_PROTOCOL .*'grpc': http\/protobuf is used .* the port in OTEL_EXPORTER_OTLP_ENDPOINT is 4317, so set it to the HTTP port\.$/,
    ],
    [
      { ...grpc, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
      /4317 and 4318: make sure that OTEL_EXPORTER_OTLP_ENDPOINT names the HTTP port\.$/,
    ],
    [
      { ...grpc, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4317' },
      /the port in OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is 4317/,
    ],
    [
      { OTEL_TRACES_EXPORTER: 'jaeger', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
      /^OTEL_TRACES_EXPORTER .*'jaeger'.* otlp, console, none\.$/,
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      /^OTEL_EXPORTER_OTLP_ENDPOINT must be a URL .* no traces are sent\.$/,
    ],
    [{ OTEL_SDK_DISABLED: '1' }, /^OTEL_SDK_DISABLED must be true or false, not '1'/],
  ])('%j', (environment, warning) => {
    const { warnings = [] } = loadConfig(environment);
    expect(warnings).toEqual([expect.stringMatching(warning)]);
  });

  test('no warning if the SDK is disabled', () => {
    const { warnings } = loadConfig({
      ...grpc,
      OTEL_SDK_DISABLED: 'true',
      OTEL_TRACES_EXPORTER: 'jaeger',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector',
    });
    expect(warnings).toBeUndefined();
  });
});

test('OpenTelemetry variables of other components are not reported as misspelt', () => {
  const standard = [
    'OTEL_METRICS_EXPORTER',
    'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
    'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT',
    'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
    'OTEL_EXPORTER_OTLP_LOGS_PROTOCOL',
    'OTEL_EXPORTER_OTLP_COMPRESSION',
    'OTEL_EXPORTER_OTLP_CERTIFICATE',
    'OTEL_LOGS_EXPORTER',
    'OTEL_PROPAGATORS',
    'OTEL_LOG_LEVEL',
    'OTEL_BSP_MAX_QUEUE_SIZE',
    'OTEL_BSP_SCHEDULE_DELAY',
    'OTEL_SEMCONV_STABILITY_OPT_IN',
    'OTEL_NODE_RESOURCE_DETECTORS',
  ];
  const { warnings = [] } = loadConfig(Object.fromEntries(standard.map((name) => [name, 'x'])));
  expect(warnings).toEqual([]);
});

test('several processes share the rate limits and the connections that PostgreSQL allows', () => {
  expect(loadConfig({ WORKERS: '2' })).toMatchObject({
    sharesRateLimits: true,
    database: { poolSize: 20 },
  });
  expect(loadConfig({ WORKERS: '6' }).database.poolSize).toBe(10);
  expect(loadConfig({ WORKERS: '100' }).database.poolSize).toBe(4);
  expect(loadConfig({ WORKERS: '6', DATABASE_POOL_SIZE: '20' }).database.poolSize).toBe(20);
  expect(loadConfig({ WORKERS: 'auto' }).workers).toBe(availableParallelism());
});

test('an empty variable counts as unset', () => {
  expect(loadConfig({ PORT: '', DATABASE_URL: ' ', TLS_CERT: '' })).toEqual(loadConfig({}));
});

test('`?schema=public` is accepted, because it is the default', () => {
  const withSchema = `${url}?schema=public`;
  expect(loadDatabaseConfig({ DATABASE_URL: withSchema }).database.url).toBe(withSchema);
});

test('programs that only use the database need no SECRETS_KEY', () => {
  expect(loadDatabaseConfig({ DATABASE_URL: url }).database.url).toBe(url);
  expect(() => loadDatabaseConfig({ DATABASE_URL: 'nonsense' })).toThrow(/DATABASE_URL must be/);
});

/** Loads the configuration from environment variables, once, and reports all problems together. */
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { getHeapStatistics } from 'node:v8';
import { type Environment, isOrigin, type Reader, readEnvironment } from './environment.js';
import { longestWaitMs } from '../contract/agent-options.js';
import { MASTER_KEY_BYTES } from '../lib/crypto/sealing.js';
import { isNetwork } from '../lib/net/networks.js';
import { isOnTerminal } from '../lib/system/terminal.js';
import { databaseConfig, type DatabaseConfig } from './database-config.js';
import { findMisspellings, type Misspelling } from './misspelt.js';
import { modelConfig, type ModelConfig } from './model-config.js';
import {
  metricsConfig,
  type MetricsConfig,
  tracingConfig,
  type TracingConfig,
} from './telemetry-config.js';
import { clientCertHeader, tlsConfig, type TlsConfig } from './tls-config.js';
import { withdrawnVariables } from './withdrawn-variables.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export interface Config {
  port: number;
  host: string;
  /** How many processes serve requests. */
  workers: number;
  dataDir: string;
  database: DatabaseConfig;
  /** Undefined: the key is in a file in `dataDir`, which the first start generates. */
  secretsKey: Buffer | undefined;
  /** Older keys that stored values may still be encrypted with. */
  previousSecretsKeys: Buffer[];
  /** Whether other processes may serve the same accounts, so that requests are counted in the database. */
  sharesRateLimits: boolean;
  /** The networks of proxies whose X-Forwarded headers are trusted. */
  trustProxy: string[];
  /** The header in which those proxies forward the client's certificate. Undefined: no header is trusted. */
  clientCertHeader: string | undefined;
  corsOrigins: string[];
  hasConsole: boolean;
  /** For development: webhooks and http agents may use plain http and private addresses. */
  allowPrivateTargets: boolean;
  webhooks: WebhookConfig;
  logLevel: (typeof LOG_LEVELS)[number];
  /** Undefined: metrics are off. */
  metrics: MetricsConfig | undefined;
  /** Undefined: tracing is off. */
  tracing: TracingConfig | undefined;
  models: ModelConfig;
  /** How many asynchronous invocations of one account this instance runs concurrently; 0 leaves them to other instances. */
  asyncConcurrency: number;
  /** How long a resumable stream continues after its client has disconnected. */
  streamGraceMs: number;
  /** The memory that long requests, histories and answers may use on this instance. */
  maxBytesInFlight: number;
  /** The largest request body. */
  maxBodyBytes: number;
  /** Undefined: data is kept forever. */
  retentionDays: number | undefined;
  /** Provider prices for the operator's reports. Undefined: reports show no cost. */
  pricesFile: string | undefined;
  tls: TlsConfig | undefined;
  /** How long /readyz announces a shutdown before the port closes, so that load balancers stop sending requests. */
  lameDuckMs: number;
  /** The grace period in which requests in flight may finish during a shutdown. */
  shutdownTimeoutMs: number;
  /** Problems to report to the operator that do not prevent a start. */
  warnings?: string[];
}

interface WebhookConfig {
  /** Whether this process delivers events, or leaves that to worker processes. */
  deliverHere: boolean;
  /** A PEM file with certificate authorities that are trusted in addition to the well-known ones. */
  caFile: string | undefined;
  /** The maximum number of concurrent deliveries to one host, across all webhooks and accounts. */
  hostConcurrency: number;
}

export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['The configuration is not usable:', ...problems].join('\n  - '));
    this.problems = problems;
  }
}

/**
 * Throws a ConfigError that lists every problem with the name of its variable. `namesInFile` are the variables that come
 * from an environment file of this service.
 */
export function loadConfig(environment: Environment, namesInFile: readonly string[] = []): Config {
  const read = readEnvironment(environment);
  const workers = workerCount(read);
  const database = databaseConfig(read, workers);
  const isEmbedded = database.url === undefined;
  const address = {
    port: read.integer('PORT', { fallback: 3000, min: 0, max: 65_535 }),
    host: read.text('HOST') ?? '127.0.0.1',
  };
  const config: Config = {
    ...address,
    workers,
    dataDir: dataDirectory(read),
    database,
    secretsKey: read.bytes('SECRETS_KEY', MASTER_KEY_BYTES),
    previousSecretsKeys: read.bytesList('SECRETS_KEY_PREVIOUS', MASTER_KEY_BYTES),
    sharesRateLimits: !isEmbedded || workers > 1,
    trustProxy: read.list('TRUST_PROXY', isNetwork, 'addresses or ranges such as 10.0.0.0/8'),
    clientCertHeader: clientCertHeader(read),
    corsOrigins: read.list(
      'CORS_ORIGINS',
      isOrigin,
      'origins such as https://app.example.com, or *',
    ),
    hasConsole: read.oneOf('CONSOLE', ['on', 'off'], 'on') === 'on',
    allowPrivateTargets: read.flag('ALLOW_PRIVATE_TARGETS'),
    webhooks: webhookConfig(read),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    metrics: metricsConfig(read, address),
    tracing: tracingConfig(read, environment),
    models: modelConfig(read),
    asyncConcurrency: read.integer('ASYNC_CONCURRENCY', { fallback: 16, min: 0, max: 1_000 }),
    streamGraceMs: read.integer('STREAM_GRACE_MS', {
      fallback: 30_000,
      min: 0,
      max: longestWaitMs,
    }),
    maxBytesInFlight: read.integer('MAX_ANSWER_BYTES_IN_FLIGHT', {
      fallback: defaultAnswerBytes(),
      min: minAnswerBytes,
      max: 1024 ** 4,
    }),
    maxBodyBytes: read.integer('MAX_BODY_BYTES', {
      fallback: contractBodyBytes,
      min: contractBodyBytes,
      max: maxBodyBytes,
    }),
    retentionDays:
      read.text('RETENTION_DAYS') === undefined
        ? undefined
        : read.integer('RETENTION_DAYS', { fallback: 0, min: 1, max: 36_500 }),
    pricesFile: read.text('PRICES_FILE'),
    tls: tlsConfig(read),
    lameDuckMs: read.integer('LAME_DUCK_MS', {
      fallback: defaultLameDuckMs(),
      min: 0,
      max: longestWaitMs,
    }),
    shutdownTimeoutMs: read.integer('SHUTDOWN_TIMEOUT_MS', {
      fallback: 10_000,
      min: 0,
      max: longestWaitMs,
    }),
  };
  const hasKey = ['SECRETS_KEY', 'SECRETS_KEY_FILE'].some((name) => read.text(name) !== undefined);
  if (!isEmbedded && !hasKey) {
    read.problems.push(
      'SECRETS_KEY is required with DATABASE_URL, and must be the same on every instance. Generate one with: openssl rand -base64 32',
    );
  }
  return { ...config, ...assertUsable(read, environment, namesInFile) };
}

/** A misspelt name in the environment file is an error. Elsewhere it may belong to another program, so it is only a warning. */
function assertUsable(
  read: Reader,
  environment: Environment,
  namesInFile: readonly string[],
): Pick<Config, 'warnings'> {
  const withdrawn = Object.entries(withdrawnVariables).filter(
    ([name]) => Object.hasOwn(environment, name) && environment[name]?.trim(),
  );
  const misspellings = findMisspellings(environment, read.known).filter(
    ({ name }) => !(name in withdrawnVariables),
  );
  const describe = ({ name, meant }: Misspelling) =>
    `${name} is not a setting of this service. Did you mean ${meant}?`;
  const problems = [
    ...withdrawn.map(([name, instead]) => `${name} is no longer a setting. ${instead}`),
    ...read.problems,
    ...misspellings.filter(({ name }) => namesInFile.includes(name)).map(describe),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  const warnings = [...read.warnings, ...misspellings.map(describe)];
  return warnings.length === 0 ? {} : { warnings };
}

const maxWorkers = 256;

function workerCount(read: Reader): number {
  if (read.text('WORKERS') === 'auto') return Math.min(maxWorkers, availableParallelism());
  const range = { fallback: 1, min: 1, max: maxWorkers };
  return read.integer('WORKERS', range, `auto, for one per core, or `);
}

/** The size that the contract promises. */
const contractBodyBytes = 1024 ** 2;
/** Measured: the worst body of this size occupies the event loop for less than 50 ms at a time, and one of twice the size does not always. */
const maxBodyBytes = 2 * 1024 ** 2;

/** One answer of the maximum length, with its copies. */
const minAnswerBytes = 64 * 1024 ** 2;

/** An eighth of the heap: other requests, caches and uncollected garbage need the rest. */
function defaultAnswerBytes(): number {
  return Math.max(minAnswerBytes, Math.floor(getHeapStatistics().heap_size_limit / 8));
}

/** A service that runs on a terminal has no load balancer, and the person at the terminal should not have to wait. */
function defaultLameDuckMs(): number {
  return isOnTerminal() ? 0 : 5_000;
}

/** For programs that need only the database; SECRETS_KEY is not required. */
export function loadDatabaseConfig(
  environment: Environment,
  namesInFile: readonly string[] = [],
): Pick<Config, 'database' | 'dataDir'> {
  const read = readEnvironment(environment);
  const config = { database: databaseConfig(read, 1), dataDir: dataDirectory(read) };
  assertUsable(read, environment, namesInFile);
  return config;
}

/** Loads a `.env` file if it exists. Variables that are already set take precedence. Returns the names in the file. */
export function loadEnvironmentFile(file = '.env'): string[] {
  if (!existsSync(file)) return [];
  process.loadEnvFile(file);
  return Object.keys(parseEnv(readFileSync(file, 'utf8')));
}

function dataDirectory(read: Reader): string {
  return path.resolve(read.text('DATA_DIR') ?? 'data');
}

function webhookConfig(read: Reader): WebhookConfig {
  return {
    deliverHere: read.oneOf('WORKER', ['on', 'off'], 'on') === 'on',
    caFile: read.text('WEBHOOK_CA_FILE'),
    hostConcurrency: read.integer('WEBHOOK_HOST_CONCURRENCY', {
      fallback: 16,
      min: 1,
      max: 10_000,
    }),
  };
}

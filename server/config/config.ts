/** Loads the configuration from environment variables, once, and reports all problems together. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { type Environment, isOrigin, type Reader, readEnvironment } from './environment.js';
import { MASTER_KEY_BYTES } from '../lib/crypto.js';
import { isNetwork } from '../lib/networks.js';
import { parsePortRange, type PortRange } from '../lib/port-range.js';
import { isOnTerminal } from '../lib/terminal.js';
import { modelConfig, type ModelConfig } from './model-config.js';
import { clientCertHeader, tlsConfig, type TlsConfig } from './tls-config.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const RATE_LIMIT_STORES = ['memory', 'postgres'] as const;

export interface Config {
  port: number;
  host: string;
  /** How many processes serve requests. */
  workers: number;
  dataDir: string;
  database: DatabaseConfig;
  /** Undefined: read from a file in `dataDir`, which the first start generates. */
  secretsKey: Buffer | undefined;
  /** Keys that stored values may still be encrypted with. */
  previousSecretsKeys: Buffer[];
  rateLimitStore: (typeof RATE_LIMIT_STORES)[number];
  /** Networks of the proxies whose X-Forwarded headers are trusted. */
  trustProxy: string[];
  /** The header in which those proxies forward the client's certificate. Undefined: none is trusted. */
  clientCertHeader: string | undefined;
  corsOrigins: string[];
  /** For development: webhooks and http agents may use plain http and private addresses. */
  allowPrivateTargets: boolean;
  webhooks: WebhookConfig;
  logLevel: (typeof LOG_LEVELS)[number];
  models: ModelConfig;
  /** Asynchronous invocations of one account that this instance runs concurrently; 0 leaves them to other instances. */
  asyncConcurrency: number;
  /** How much memory the answers that are received, recorded and sent may take on this instance. */
  maxAnswerBytes: number;
  /** Undefined: data is kept forever. */
  retentionDays: number | undefined;
  tls: TlsConfig | undefined;
  /** How long a shutdown is announced by /readyz before the port closes, so that load balancers send no more requests. */
  lameDuckMs: number;
  /** Grace period of a shutdown, in which requests in flight may finish. */
  shutdownTimeoutMs: number;
}

export interface DatabaseConfig {
  /** Undefined: the service runs an embedded PostgreSQL in `dataDir`. */
  url: string | undefined;
  /** For migrations and LISTEN, which need a session; differs from `url` behind a connection pooler. */
  directUrl: string | undefined;
  pooled: boolean;
  poolSize: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
}

export interface WebhookConfig {
  /** Whether this process delivers events, or leaves that to worker processes. */
  deliverHere: boolean;
  /** Undefined: the default ports. */
  ports: PortRange[] | undefined;
  /** A PEM file with certificate authorities to trust in addition to the well-known ones. */
  caFile: string | undefined;
  /** Deliveries to one host at a time, however many webhooks and accounts use it. */
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

/** Throws a ConfigError that lists every problem with the name of its variable. */
export function loadConfig(environment: Environment): Config {
  const read = readEnvironment(environment);
  const workers = workerCount(read);
  const database = databaseConfig(read, workers);
  const isEmbedded = database.url === undefined;
  const config: Config = {
    port: read.integer('PORT', { fallback: 3000, min: 0, max: 65_535 }),
    host: read.text('HOST') ?? '127.0.0.1',
    workers,
    dataDir: dataDirectory(read),
    database,
    secretsKey: read.bytes('SECRETS_KEY', MASTER_KEY_BYTES),
    previousSecretsKeys: read.bytesList('SECRETS_KEY_PREVIOUS', MASTER_KEY_BYTES),
    rateLimitStore: read.oneOf(
      'RATE_LIMIT_STORE',
      RATE_LIMIT_STORES,
      isEmbedded && workers === 1 ? 'memory' : 'postgres',
    ),
    trustProxy: read.list('TRUST_PROXY', isNetwork, 'addresses or ranges such as 10.0.0.0/8'),
    clientCertHeader: clientCertHeader(read),
    corsOrigins: read.list(
      'CORS_ORIGINS',
      isOrigin,
      'origins such as https://app.example.com, or *',
    ),
    allowPrivateTargets: read.flag('ALLOW_PRIVATE_TARGETS'),
    webhooks: webhookConfig(read),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    models: modelConfig(read),
    asyncConcurrency: read.integer('ASYNC_CONCURRENCY', { fallback: 16, min: 0, max: 1_000 }),
    maxAnswerBytes: read.integer('MAX_ANSWER_BYTES_IN_FLIGHT', {
      fallback: defaultAnswerBytes(),
      min: minAnswerBytes,
      max: 1024 ** 4,
    }),
    retentionDays:
      read.text('RETENTION_DAYS') === undefined
        ? undefined
        : read.integer('RETENTION_DAYS', { fallback: 0, min: 1, max: 36_500 }),
    tls: tlsConfig(read),
    lameDuckMs: read.integer('LAME_DUCK_MS', {
      fallback: defaultLameDuckMs(),
      min: 0,
      max: 600_000,
    }),
    shutdownTimeoutMs: read.integer('SHUTDOWN_TIMEOUT_MS', {
      fallback: 10_000,
      min: 0,
      max: 600_000,
    }),
  };
  if (!isEmbedded && read.text('SECRETS_KEY') === undefined) {
    read.problems.push(
      'SECRETS_KEY is required with DATABASE_URL, and must be the same on every instance. Generate one with: openssl rand -base64 32',
    );
  }
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  return config;
}

const maxWorkers = 256;

function workerCount(read: Reader): number {
  if (read.text('WORKERS') === 'auto') return Math.min(maxWorkers, availableParallelism());
  const range = { fallback: 1, min: 1, max: maxWorkers };
  return read.integer('WORKERS', range, `auto, for one per core, or `);
}

/** Room for one answer of the greatest length, with its copies. */
const minAnswerBytes = 64 * 1024 ** 2;

/** An eighth of the heap: other requests, the caches and what the collector has not freed yet need the rest. */
function defaultAnswerBytes(): number {
  return Math.max(minAnswerBytes, Math.floor(getHeapStatistics().heap_size_limit / 8));
}

/** No load balancer sends requests to what runs on a terminal, and a person does not want to wait. */
function defaultLameDuckMs(): number {
  return isOnTerminal() ? 0 : 5_000;
}

/** For programs that only need the database; SECRETS_KEY is not required. */
export function loadDatabaseConfig(environment: Environment): Pick<Config, 'database' | 'dataDir'> {
  const read = readEnvironment(environment);
  const config = { database: databaseConfig(read, 1), dataDir: dataDirectory(read) };
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  return config;
}

/** Loads a `.env` file, if there is one; variables that the environment already has take precedence. */
export function loadEnvironmentFile(file = '.env'): void {
  if (existsSync(file)) process.loadEnvFile(file);
}

function dataDirectory(read: Reader): string {
  return path.resolve(read.text('DATA_DIR') ?? 'data');
}

const poolSize = 20;
/** Of all workers: PostgreSQL allows 100 connections by default, and searches, listeners and commands need some too. */
const sharedPoolSize = 60;
const minPoolSize = 4;

function defaultPoolSize(workers: number): number {
  return Math.max(minPoolSize, Math.min(poolSize, Math.floor(sharedPoolSize / workers)));
}

function databaseConfig(read: Reader, workers: number): DatabaseConfig {
  const schemes = ['postgresql:', 'postgres:'];
  const example = 'postgresql://user:password@host:5432/database';
  const url = read.url('DATABASE_URL', schemes, example);
  const directUrl = read.url('DIRECT_DATABASE_URL', schemes, example);
  if (read.text('DIRECT_DATABASE_URL') !== undefined && read.text('DATABASE_URL') === undefined) {
    read.problems.push('DIRECT_DATABASE_URL only has an effect together with DATABASE_URL.');
  }
  return {
    url,
    directUrl: directUrl ?? url,
    pooled: directUrl !== undefined,
    poolSize: read.integer('DATABASE_POOL_SIZE', {
      fallback: defaultPoolSize(workers),
      min: 2,
      max: 1_000,
    }),
    connectTimeoutMs: read.integer('DATABASE_CONNECT_TIMEOUT_MS', {
      fallback: 5_000,
      min: 100,
      max: 60_000,
    }),
    statementTimeoutMs: read.integer('DATABASE_STATEMENT_TIMEOUT_MS', {
      fallback: 30_000,
      min: 100,
      max: 600_000,
    }),
  };
}

function webhookConfig(read: Reader): WebhookConfig {
  const isPortRange = (text: string) => parsePortRange(text) !== undefined;
  const ports = read.list('WEBHOOK_PORTS', isPortRange, 'ports or ranges such as 8000-8999');
  return {
    deliverHere: read.oneOf('WORKER', ['on', 'off'], 'on') === 'on',
    ports: ports.length === 0 ? undefined : ports.flatMap((text) => parsePortRange(text) ?? []),
    caFile: read.text('WEBHOOK_CA_FILE'),
    hostConcurrency: read.integer('WEBHOOK_HOST_CONCURRENCY', {
      fallback: 16,
      min: 1,
      max: 10_000,
    }),
  };
}

/** The environment, parsed once: what the service is told from outside, with every problem reported at the same time. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Environment, isOrigin, type Reader, readEnvironment } from './environment.js';
import { MASTER_KEY_BYTES } from '../lib/crypto.js';
import { isNetwork } from '../lib/networks.js';
import { parsePortRange, type PortRange } from '../lib/port-range.js';
import { clientCertHeader, tlsConfig, type TlsConfig } from './tls-files.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const RATE_LIMIT_STORES = ['memory', 'postgres'] as const;

export interface Config {
  port: number;
  host: string;
  dataDir: string;
  database: DatabaseConfig;
  /** Undefined: read from `dataDir`, where the first start generates it. */
  secretsKey: Buffer | undefined;
  rateLimitStore: (typeof RATE_LIMIT_STORES)[number];
  /** Networks whose word about the client's address is believed. */
  trustProxy: string[];
  /** The header in which those pass on a client's certificate. Undefined: none is believed. */
  clientCertHeader: string | undefined;
  corsOrigins: string[];
  /** For development: webhooks and http agents may be plain http and on private addresses. */
  allowPrivateTargets: boolean;
  webhooks: WebhookConfig;
  logLevel: (typeof LOG_LEVELS)[number];
  models: ModelConfig;
  /** How many asynchronous invocations this instance runs at a time; 0 leaves them to others. */
  asyncConcurrency: number;
  /** Undefined: everything is kept. */
  retentionDays: number | undefined;
  tls: TlsConfig | undefined;
  /** How long requests in flight may take to finish once the service is told to stop. */
  shutdownTimeoutMs: number;
}

export interface DatabaseConfig {
  /** Undefined: PostgreSQL is run from `dataDir`. */
  url: string | undefined;
  /** For what needs a session of its own; differs from `url` where a pooler stands in front. */
  directUrl: string | undefined;
  pooled: boolean;
  poolSize: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
}

export interface WebhookConfig {
  /** Whether this process delivers events, or leaves that to workers of their own. */
  deliverHere: boolean;
  /** Undefined: the usual ones. */
  ports: PortRange[] | undefined;
  /** Certificates, in PEM, that receivers may have besides the well-known ones. */
  caFile: string | undefined;
}

export interface ModelConfig {
  openaiApiKey: string | undefined;
  /** Undefined, here and below: the provider's own address. */
  openaiBaseUrl: string | undefined;
  anthropicApiKey: string | undefined;
  anthropicBaseUrl: string | undefined;
  localBaseUrl: string | undefined;
  localApiKey: string | undefined;
  /** As `provider/name`. Undefined: memory is searched by words alone. */
  embeddingModel: string | undefined;
}

export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['The configuration is not usable:', ...problems].join('\n  - '));
    this.problems = problems;
  }
}

/** Throws a ConfigError that lists every problem, each naming its variable. */
export function loadConfig(environment: Environment): Config {
  const read = readEnvironment(environment);
  const database = databaseConfig(read);
  const isEmbedded = database.url === undefined;
  const config: Config = {
    port: read.integer('PORT', { fallback: 3000, min: 0, max: 65_535 }),
    host: read.text('HOST') ?? '127.0.0.1',
    dataDir: dataDirectory(read),
    database,
    secretsKey: read.bytes('SECRETS_KEY', MASTER_KEY_BYTES),
    rateLimitStore: read.oneOf(
      'RATE_LIMIT_STORE',
      RATE_LIMIT_STORES,
      isEmbedded ? 'memory' : 'postgres',
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
    retentionDays:
      read.text('RETENTION_DAYS') === undefined
        ? undefined
        : read.integer('RETENTION_DAYS', { fallback: 0, min: 1, max: 36_500 }),
    tls: tlsConfig(read),
    shutdownTimeoutMs: read.integer('SHUTDOWN_TIMEOUT_MS', {
      fallback: 10_000,
      min: 0,
      max: 600_000,
    }),
  };
  if (!isEmbedded && read.text('SECRETS_KEY') === undefined) {
    read.problems.push(
      'SECRETS_KEY is required with DATABASE_URL, and must be the same on every instance. Make one with: openssl rand -base64 32',
    );
  }
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  return config;
}

/** The part that a program needs which only works on the database; it asks for no SECRETS_KEY. */
export function loadDatabaseConfig(environment: Environment): Pick<Config, 'database' | 'dataDir'> {
  const read = readEnvironment(environment);
  const config = { database: databaseConfig(read), dataDir: dataDirectory(read) };
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  return config;
}

/** Adds the variables of a `.env` file, where there is one, to the process's own, which take precedence. */
export function loadEnvironmentFile(file = '.env'): void {
  if (existsSync(file)) process.loadEnvFile(file);
}

function dataDirectory(read: Reader): string {
  return path.resolve(read.text('DATA_DIR') ?? 'data');
}

/** Which model providers have what they need. */
export function configuredProviders(
  models: ModelConfig,
): Record<'openai' | 'anthropic' | 'local', boolean> {
  return {
    openai: models.openaiApiKey !== undefined,
    anthropic: models.anthropicApiKey !== undefined,
    local: models.localBaseUrl !== undefined,
  };
}

function databaseConfig(read: Reader): DatabaseConfig {
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
    poolSize: read.integer('DATABASE_POOL_SIZE', { fallback: 20, min: 2, max: 1_000 }),
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
  };
}

function modelConfig(read: Reader): ModelConfig {
  const embeddingModel = read.text('EMBEDDING_MODEL');
  const [, embeddingProvider] = /^(openai|local)\/\S+$/.exec(embeddingModel ?? '') ?? [];
  if (embeddingModel !== undefined && embeddingProvider === undefined) {
    read.problems.push(
      `EMBEDDING_MODEL must be openai/… or local/…, such as openai/text-embedding-3-small, not '${embeddingModel}'.`,
    );
  }
  const needed = embeddingProvider === 'openai' ? 'OPENAI_API_KEY' : 'LOCAL_BASE_URL';
  if (embeddingProvider !== undefined && read.text(needed) === undefined) {
    read.problems.push(`${needed} is required with EMBEDDING_MODEL=${embeddingModel}.`);
  }
  return {
    openaiApiKey: read.text('OPENAI_API_KEY'),
    openaiBaseUrl: read.url('OPENAI_BASE_URL', ['http:', 'https:'], 'https://api.openai.com/v1'),
    anthropicApiKey: read.text('ANTHROPIC_API_KEY'),
    anthropicBaseUrl: read.url(
      'ANTHROPIC_BASE_URL',
      ['http:', 'https:'],
      'https://api.anthropic.com/v1',
    ),
    localBaseUrl: read.url('LOCAL_BASE_URL', ['http:', 'https:'], 'http://127.0.0.1:11434/v1'),
    localApiKey: read.text('LOCAL_API_KEY'),
    embeddingModel,
  };
}

/** Reads the variables of the database. */
import { parseDatabaseUrl } from '../lib/net/database-url.js';
import { readDatabaseUrl } from './database-url.js';
import type { Reader } from './environment.js';

export interface DatabaseConfig {
  /** Undefined: the service runs an embedded PostgreSQL in `dataDir`. */
  url: string | undefined;
  /** For migrations and notifications, which need a session; differs from `url` behind a connection pooler. */
  directUrl: string | undefined;
  pooled: boolean;
  poolSize: number;
  /** How long a start waits for a database that accepts no connections yet. */
  waitMs: number;
  statementTimeoutMs: number;
}

const poolSize = 20;
/** The sum over all workers: PostgreSQL allows 100 connections by default, and checks, listeners and commands need some too. */
const sharedPoolSize = 60;
const minPoolSize = 4;

/** `workers` is the number of processes, each of which has its own pool. */
export function databaseConfig(read: Reader, workers: number): DatabaseConfig {
  const url = readDatabaseUrl(read, 'DATABASE_URL');
  const directUrl = readDatabaseUrl(read, 'DIRECT_DATABASE_URL');
  if (read.text('DIRECT_DATABASE_URL') !== undefined && read.text('DATABASE_URL') === undefined) {
    read.problems.push('DIRECT_DATABASE_URL only has an effect together with DATABASE_URL.');
  }
  if (url !== undefined && directUrl === undefined && parameter(url, 'pgbouncer') === 'true') {
    read.problems.push(
      'DIRECT_DATABASE_URL is required with ?pgbouncer=true in DATABASE_URL: the URL of PostgreSQL itself, for migrations and notifications.',
    );
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
    waitMs: read.integer('DATABASE_WAIT_MS', { fallback: 30_000, min: 0, max: 600_000 }),
    statementTimeoutMs: read.integer('DATABASE_STATEMENT_TIMEOUT_MS', {
      fallback: 10_000,
      min: 100,
      max: 600_000,
    }),
  };
}

function defaultPoolSize(workers: number): number {
  return Math.max(minPoolSize, Math.min(poolSize, Math.floor(sharedPoolSize / workers)));
}

function parameter(url: string, name: string): string | null {
  return parseDatabaseUrl(url)?.parameters.get(name) ?? null;
}

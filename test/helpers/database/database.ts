/** Gives each test a separate database on the PostgreSQL of the test run, within milliseconds. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from '../../../server/postgres/database.js';
import { type FixtureOptions, useFixture } from '../service/fixture.js';

/** A database that tests can query directly. */
export interface OpenDatabase extends Database {
  pool: pg.Pool;
}

export interface TestDatabase {
  url: string;
  database: OpenDatabase;
  /** Closes the connections and drops the database. */
  close(): Promise<void>;
}

export interface BareDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A migrated database for the tests of the file. */
export function useDatabase(options?: FixtureOptions): TestDatabase {
  return useFixture(createTestDatabase, (made) => made.close(), options);
}

/** Another connection pool, as a second instance of the service would have. */
export function useConnections(made: TestDatabase): OpenDatabase {
  return useFixture(
    () => openTestDatabase(made.url),
    (database) => database.close(),
  );
}

/** Creates a migrated database. The options change how it is opened. */
export async function createTestDatabase(
  options: Partial<DatabaseOptions> = {},
): Promise<TestDatabase> {
  const bare = await createBareDatabase('TEMPLATE agent_hosting');
  const database = await openTestDatabase(bare.url, options);
  return {
    url: bare.url,
    database,
    close: async () => {
      await database.close();
      await bare.drop();
    },
  };
}

/** Opens another connection pool to a test database, as a second instance of the service would have. */
export async function openTestDatabase(
  url: string,
  options: Partial<DatabaseOptions> = {},
): Promise<OpenDatabase> {
  const database = await openDatabase({
    url,
    poolSize: 5,
    statementTimeoutMs: 60_000,
    ...options,
  });
  const pool = openPool({ connectionString: url, options: '-c TimeZone=UTC' });
  return {
    ...database,
    pool,
    close: async () => {
      await Promise.all([database.close(), pool.end()]);
    },
  };
}

/** Tests end connections, and drop the databases of those that are about to end, which a pool reports as an error. */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('error', () => undefined);
  return pool;
}

/** The same database, with this time for connecting. Otherwise tests are patient, as on a busy machine a slow answer is not an error. */
export function withConnectTimeout(url: string, seconds: number): string {
  const changed = new URL(url);
  changed.searchParams.set('connect_timeout', String(seconds));
  return changed.href;
}

/** An empty database. */
export async function createBareDatabase(template = ''): Promise<BareDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(`CREATE DATABASE ${name} OWNER agent_hosting ${template}`);
  const address = new URL(testCluster().url);
  address.pathname = name;
  return {
    url: address.href,
    drop: () => administer(`DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** Runs a statement as superuser on the PostgreSQL of the test run. */
export async function administer(statement: string, database?: string): Promise<void> {
  const url = new URL(testCluster().adminUrl);
  if (database !== undefined) url.pathname = database;
  await query(url.href, statement);
}

/** Runs a statement on a new connection. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** The URL of the test run's PostgreSQL. */
function testCluster(): { url: string; adminUrl: string } {
  const cluster = process.env['TEST_CLUSTER'];
  if (cluster === undefined) throw new Error('jest.config.js must name the globalSetup.');
  return JSON.parse(cluster) as { url: string; adminUrl: string };
}

/** Gives each test a database of its own on the PostgreSQL of the test run, in milliseconds. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Database, type DatabaseOptions, openDatabase } from '../../server/store/database.js';
import { type FixtureOptions, useFixture } from './fixture.js';

export interface TestDatabase {
  url: string;
  database: Database;
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

/** More connections to it, as a second instance of the service would have. */
export function useConnections(made: TestDatabase): Database {
  return useFixture(
    () => openTestDatabase(made.url),
    (database) => database.close(),
  );
}

/** A migrated database. The options change how it is opened. */
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

/** A further set of connections to a test database, as a second instance of the service would have. */
export function openTestDatabase(
  url: string,
  options: Partial<DatabaseOptions> = {},
): Promise<Database> {
  return openDatabase({
    url,
    poolSize: 5,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 20_000,
    ...options,
  });
}

/** A database with nothing in it. */
export async function createBareDatabase(template = ''): Promise<BareDatabase> {
  const { url, adminUrl } = testCluster();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(adminUrl, `CREATE DATABASE ${name} OWNER agent_hosting ${template}`);
  const address = new URL(url);
  address.pathname = name;
  return {
    url: address.href,
    drop: () => administer(adminUrl, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** Runs a statement as superuser. */
export async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Where the PostgreSQL of the test run is. */
export function testCluster(): { url: string; adminUrl: string } {
  const facts: unknown = JSON.parse(process.env['TEST_CLUSTER'] ?? '{}');
  if (
    typeof facts === 'object' &&
    facts !== null &&
    'url' in facts &&
    typeof facts.url === 'string' &&
    'adminUrl' in facts &&
    typeof facts.adminUrl === 'string'
  ) {
    return { url: facts.url, adminUrl: facts.adminUrl };
  }
  throw new Error(
    'There is no PostgreSQL for the tests: jest.config.js must name the globalSetup.',
  );
}

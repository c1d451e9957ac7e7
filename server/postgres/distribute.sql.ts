/**
 * Distributes the tables over the servers of a Citus cluster, by account.
 * Why SQL: distribution uses functions and catalogs of the Citus extension.
 */
import type pg from 'pg';
import { DatabaseProblem } from './connection-problem.js';
import { connectDirectly, type DirectConnection } from './direct-connection.js';
import { takeMigrationLock } from './migrations/apply.js';

/** Tables of which every server has a copy, in the order of their foreign keys. */
export const referenceTables = [
  'accounts',
  'agents',
  'api_keys',
  'deployments',
  'webhooks',
  'purges',
  'settings',
];

/** All tables that grow or that requests write to. All rows of an account are on one server. */
export const distributedTables = [
  'invocations',
  'session_leases',
  'mfa_enrolments',
  'log_entries',
  'memory_entries',
  'memory_clearances',
  'memory_words',
  'memory_embeddings',
  'usage_deltas',
  'usage_rollups',
  'budget_windows',
  'events',
  'deliveries',
  'idempotency_records',
  'stream_events',
  'run_steps',
  'paused_runs',
  'schedules',
  'rate_buckets',
];

interface DistributeOptions extends DirectConnection {
  onProgress?: (table: string, done: number, total: number) => void;
}

/** Returns the tables that it has distributed; empty if all of them already were. After an interruption, call it again to continue. */
export async function distribute(options: DistributeOptions): Promise<string[]> {
  const client = await connectDirectly({ ...options, name: 'distribute' });
  try {
    await assertCitus(client);
    await takeMigrationLock(client);
    const { tables, runningInstances } = await readCluster(client);
    const pending = [...referenceTables, ...distributedTables].filter(
      (table) => !tables.includes(table),
    );
    if (pending.length === 0) return [];
    if (runningInstances > 0) {
      throw new DatabaseProblem(
        `${runningInstances} ${runningInstances === 1 ? 'instance is' : 'instances are'} running, and their requests would fail during the distribution. ` +
          'Stop them, and run this again.',
      );
    }
    for (const [done, table] of pending.entries()) {
      options.onProgress?.(table, done, pending.length);
      if (referenceTables.includes(table)) await createReferenceTable(client, table);
      else {
        await makeLogged(client, table);
        await createDistributedTable(client, table, colocationOf(table));
      }
    }
    return pending;
  } finally {
    await client.end();
  }
}

const [first = ''] = distributedTables;

const colocationOf = (table: string) => (table === first ? 'none' : first);

async function assertCitus(client: pg.ClientBase): Promise<void> {
  const { version, isAvailable } = await readCitus(client);
  if (version === null) {
    throw new DatabaseProblem(
      isAvailable
        ? 'The database does not have the extension Citus. Run CREATE EXTENSION citus in it as an administrator, add the workers with ' +
            "SELECT citus_add_node('HOST', 5432), and run this again."
        : 'This PostgreSQL does not have Citus. Install it on the coordinator and on every worker, with citus in ' +
            'shared_preload_libraries, as docs/scaling.md describes.',
    );
  }
  const { isCoordinator, isCoordinatorNamed, workers } = await readCluster(client);
  if (!isCoordinator) {
    throw new DatabaseProblem(
      'The database is on a worker of the cluster. Set DATABASE_URL to the coordinator.',
    );
  }
  if (!isCoordinatorNamed) {
    throw new DatabaseProblem(
      "The workers do not know the coordinator. Run SELECT citus_set_coordinator_host('HOST', 5432), with the name by which they reach it.",
    );
  }
  if (workers === 0) {
    throw new DatabaseProblem(
      "The cluster has no workers. Add them on the coordinator: SELECT citus_add_node('HOST', 5432).",
    );
  }
}

interface Cluster {
  /** Whether the connection leads to the coordinator. */
  isCoordinator: boolean;
  /** Whether the workers know the coordinator's host name. */
  isCoordinatorNamed: boolean;
  /** The number of active workers. */
  workers: number;
  /** Tables that are already distributed or reference tables. */
  tables: string[];
  /** Processes of the service with a recent heartbeat. */
  runningInstances: number;
}

/** `version` is null if the database does not have the extension; `isAvailable` is whether the server offers it. */
export async function readCitus(
  client: pg.ClientBase,
): Promise<{ version: string | null; isAvailable: boolean }> {
  const { rows } = await client.query<{ version: string | null; isAvailable: boolean }>(
    `SELECT (SELECT extversion FROM pg_extension WHERE extname = 'citus') AS version,
            EXISTS (SELECT FROM pg_available_extensions WHERE name = 'citus') AS "isAvailable"`,
  );
  return rows[0] ?? { version: null, isAvailable: false };
}

/** The database must have the extension. */
export async function readCluster(client: pg.ClientBase): Promise<Cluster> {
  const { rows } = await client.query<Cluster>(
    `SELECT (SELECT groupid = 0 FROM pg_dist_local_group) AS "isCoordinator",
            EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) AS "isCoordinatorNamed",
            (SELECT count(*)::int FROM citus_get_active_worker_nodes()) AS workers,
            ARRAY(SELECT logicalrelid::text FROM pg_dist_partition WHERE partmethod = 'h' OR repmodel = 't') AS tables,
            (SELECT count(*)::int FROM instances WHERE heartbeat_at > now() - interval '15 seconds') AS "runningInstances"`,
  );
  const [cluster] = rows;
  if (!cluster) throw new Error('The statement returned no row.');
  return cluster;
}

async function createReferenceTable(client: pg.ClientBase, table: string): Promise<void> {
  await client.query('SELECT create_reference_table($1::text::regclass)', [table]);
}

/** Shards are moved by logical replication, which does not support unlogged tables. */
async function makeLogged(client: pg.ClientBase, table: string): Promise<void> {
  await client.query(`ALTER TABLE ${client.escapeIdentifier(table)} SET LOGGED`);
}

/** Distributes the table by account, and then drops the coordinator's local copy of the rows. */
async function createDistributedTable(
  client: pg.ClientBase,
  table: string,
  colocatedWith: string,
): Promise<void> {
  await client.query(
    `SELECT create_distributed_table($1::text::regclass, 'account_id', colocate_with := $2)`,
    [table, colocatedWith],
  );
  await client.query('SELECT truncate_local_data_after_distributing_table($1::text::regclass)', [
    table,
  ]);
}

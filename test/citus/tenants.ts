/** Creates accounts of a distributed database on the worker that a test asks for. */
import { createAccount } from '../../server/accounts/accounts.js';
import type { OpenDatabase } from '../helpers/database/database.js';
import { type Tenant, tenantOf, type TestInstance } from '../helpers/service/service.js';
import type { CitusCluster, Node } from './cluster.js';

let made = 0;

/** The port of the worker that stores the rows of an account. */
export async function workerOf({ coordinator }: CitusCluster, accountId: string): Promise<number> {
  const [placement] = await coordinator.query<{ port: number }>(
    `SELECT nodeport AS port FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
      WHERE shardid = get_shard_id_for_distribution_column('invocations', $1::text)`,
    [accountId],
  );
  if (!placement) throw new Error(`No worker has the account ${accountId}.`);
  return placement.port;
}

/** Accounts are placed by a hash of their id, so this creates accounts until one lands on the worker. */
export async function tenantOn(
  cluster: CitusCluster,
  worker: Node,
  database: OpenDatabase,
  instance: Pick<TestInstance, 'api'>,
): Promise<Tenant> {
  for (;;) {
    made += 1;
    const name = `distributed-${made}`;
    const { id } = await createAccount(database, { name, tier: 'enterprise' });
    if ((await workerOf(cluster, id)) === worker.port) {
      return tenantOf(database, id, instance.api);
    }
  }
}

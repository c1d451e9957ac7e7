/** The test rig for faults: service instances on one database, and clients that write continuously. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createAccount } from '../../server/accounts/accounts.js';
import { issueKey } from '../../server/keys/keys.js';
import { createSecrets } from '../../server/installation/key-ring.js';
import { everyPermission } from '../../server/contract/permissions.js';
import { newId } from '../../server/lib/data/typeid.js';
import { insertAgent } from '../../server/agents/drafts.js';
import { openTestDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import type { Environment } from '../helpers/service/service.js';
import { createInstances, type Instances } from './instances.js';
import { type Ledger, openLedger } from './ledger.js';
import type { Random } from '../helpers/text/random.js';
import { startWorkshop, type Workshop } from './workshop.js';
import { runKinds } from './writes.js';

export interface Rig extends Instances {
  databaseUrl: string;
  /** The API key of the clients, with every permission. */
  key: string;
  open: (random: Random) => Ledger;
  audit: (ledger: Ledger) => Promise<Audit>;
}

export interface Audit {
  acknowledged: number;
  lost: string[];
  twice: string[];
  /** What the model and the tools of the runs saw. */
  violations: string[];
}

export interface RigOptions {
  /** Additional environment of each instance. */
  environments: readonly Environment[];
  clients?: number;
  /** The API key of a database that already has one. */
  secretsKey?: Buffer;
  /** The folder for the instances' logs. */
  logFolder?: string;
}

/** An empty database is migrated by the first instance. */
export async function startRig(
  databaseUrl: string,
  { environments, clients = 8, secretsKey = randomBytes(32), logFolder }: RigOptions,
): Promise<Rig> {
  const workshop = await startWorkshop();
  const instances = createInstances(
    environments.map((environment) => ({
      DATABASE_URL: databaseUrl,
      SECRETS_KEY: secretsKey.toString('base64'),
      DATABASE_POOL_SIZE: '8',
      LOG_LEVEL: 'fatal',
      ...workshop.environment,
      ...environment,
    })),
    logFolder,
  );
  await Promise.all(instances.all.map((instance) => instance.start()));
  const { key, agents, worker } = await createTenant(databaseUrl, secretsKey, {
    clients,
    worker: workshop.agent,
  });
  const runs = { agent: worker, kinds: runKinds(workshop) };
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  pool.on('error', () => undefined);

  return {
    ...instances,
    databaseUrl,
    key,
    open: (random) => openLedger({ instances: instances.all, key, agents, runs, random }),
    audit: async (ledger) => {
      await eventually(() => assertNothingRuns(pool), 60_000);
      const lost: string[] = [];
      const twice: string[] = [];
      for (const write of ledger.acknowledged) {
        const effects = await write.countEffects(pool);
        if (effects === 0) lost.push(write.name);
        if (effects > 1) twice.push(write.name);
      }
      const violations = workshop.takeViolations();
      return { acknowledged: ledger.acknowledged.length, lost, twice, violations };
    },
    stop: async () => {
      await Promise.all([pool.end(), instances.stop()]);
      await workshop.stop();
    },
  };
}

interface TenantOptions {
  clients: number;
  /** The agent that has tools. */
  worker: Workshop['agent'];
}

async function createTenant(
  databaseUrl: string,
  secretsKey: Buffer,
  { clients, worker }: TenantOptions,
) {
  const database = await openTestDatabase(databaseUrl);
  try {
    const { id: accountId } = await createAccount(database, {
      name: `clients-${randomBytes(4).toString('hex')}`,
      tier: 'enterprise',
    });
    const { key } = await issueKey(database, createSecrets(secretsKey), {
      accountId,
      agentId: null,
      name: 'clients',
      permissions: [...everyPermission],
      createdBy: null,
      expiresAt: null,
    });
    const agents = await Promise.all(
      Array.from({ length: clients }, async (_, index) => {
        const id = newId('agent');
        await insertAgent(database, {
          id,
          accountId,
          name: `agent-${index}`,
          model: 'builtin/echo',
          temperature: 0,
        });
        return id;
      }),
    );
    const id = newId('agent');
    await insertAgent(database, { id, accountId, name: 'worker', ...worker });
    return { key, agents, worker: id };
  } finally {
    await database.close();
  }
}

async function assertNothingRuns(pool: pg.Pool): Promise<void> {
  const { rowCount } = await pool.query(
    // With a column, which Citus needs to collect rows.
    `SELECT id FROM invocations WHERE status IN ('queued', 'running') UNION ALL SELECT request_id FROM run_steps`,
  );
  if (rowCount !== 0) throw new Error(`${rowCount} asynchronous invocations or steps are left`);
}

/**
 * A rolling restart, a killed instance and a failover of PostgreSQL, behind HAProxy and PgBouncer with the settings of the docs. Only
 * requests in flight at that moment fail, and nothing that was acknowledged is lost.
 */
import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createAccount } from '../../server/accounts/accounts.js';
import { freePort } from '../../server/lib/net/free-port.js';
import { createInstances, type Instance } from '../faults/instances.js';
import type { Write } from '../faults/writes.js';
import { openTestDatabase, query } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { apiClient, statusAt } from '../helpers/service/api.js';
import { useFixture } from '../helpers/service/fixture.js';
import { environmentFor, type Tenant, tenantOf } from '../helpers/service/service.js';
import { pgbouncerIsMissing, runPgbouncer } from '../postgres/pgbouncer.js';
import { adapted, documentedSettings } from './documented-settings.js';
import { type Haproxy, startHaproxy } from './haproxy.js';
import { type Load, startLoad } from './load.js';
import { type ReplicatedCluster, startReplicatedCluster } from './replicated-cluster.js';
import { run } from './tools.js';

const clients = 8;
/** PgBouncer and the health checks take about a second each. With its default, PgBouncer alone would take 15. */
const recoveryMs = 10_000;
/** The role and the database in the docs. */
const name = 'agents';

const servers = ['one', 'two'] as const;

interface Rig {
  cluster: ReplicatedCluster;
  haproxy: Haproxy;
  /** By their names in HAProxy. */
  instances: Record<'one' | 'two', Instance>;
  /** Starts clients of the service. Each has a new agent. */
  load: () => Promise<Load>;
  /** Resolves when both instances reach the database, and HAProxy uses both. */
  ready: () => Promise<void>;
  stop: () => Promise<void>;
}

async function startRig(): Promise<Rig> {
  const [http, postgres, pooler] = [await freePort(), await freePort(), await freePort()];
  const [one, two] = [await freePort(), await freePort()];
  const cluster = await startReplicatedCluster(name);
  const { username, password } = cluster.role;
  const urlAt = (port: number) => `postgresql://${username}:${password}@127.0.0.1:${port}/${name}`;
  const haproxy = await startHaproxy(
    `${await proxySettings(http, [one, two])}\n${await databaseSettings(postgres, cluster)}`,
  );
  const pgbouncer = await runPgbouncer(await poolerSettings(pooler, postgres), {
    username,
    password,
  });
  const [databaseUrl, directUrl] = [urlAt(pooler), urlAt(postgres)];
  await haproxy.noticed('postgres', 'one', 'UP');
  await query(directUrl, `ALTER ROLE ${name} SET TimeZone = 'UTC'`);
  const { all, ended, stop } = createInstances(
    [one, two].map((port) => ({
      ...environmentFor({ databaseUrl }),
      DIRECT_DATABASE_URL: directUrl,
      PORT: String(port),
      LAME_DUCK_MS: '5000',
    })),
  );
  const [first, second] = all;
  if (!first || !second) throw new Error('There are no two instances.');
  const instances = { one: first, two: second };
  for (const server of servers) {
    await instances[server].start();
    await haproxy.noticed('agents', server, 'UP');
  }
  const url = `http://127.0.0.1:${http}`;
  return {
    cluster,
    haproxy,
    instances,
    load: async () => {
      const { key, agents } = await createTenant(directUrl, url);
      return startLoad({ url, key, agents });
    },
    ready: () =>
      eventually(async () => {
        for (const server of servers) {
          expect(await statusAt(`${instances[server].url()}/readyz`)).toBe(200);
          await haproxy.noticed('agents', server, 'UP');
        }
      }),
    stop: async () => {
      expect(ended).toEqual([]);
      await stop();
      await pgbouncer.end('SIGTERM');
      await haproxy.stop();
      await cluster.stop();
    },
  };
}

/** Those for the service, without TLS. */
async function proxySettings(port: number, [one, two]: [number, number]): Promise<string> {
  return adapted(await documentedSettings('reverse-proxies.md', 'haproxy'), {
    'bind :443 ssl crt /etc/haproxy/agents.pem alpn h2,http/1.1': `bind 127.0.0.1:${port}`,
    '10.0.0.11:3000': `127.0.0.1:${one}`,
    '10.0.0.12:3000': `127.0.0.1:${two}`,
  });
}

async function databaseSettings(
  port: number,
  { primary, standby }: ReplicatedCluster,
): Promise<string> {
  return adapted(await documentedSettings('database.md', 'haproxy'), {
    'bind :5432': `bind 127.0.0.1:${port}`,
    '10.0.0.21:5432 check port 8008': `127.0.0.1:${primary.port} check port ${primary.patroniPort}`,
    '10.0.0.22:5432 check port 8008': `127.0.0.1:${standby.port} check port ${standby.patroniPort}`,
  });
}

async function poolerSettings(port: number, postgres: number): Promise<(users: string) => string> {
  const settings = adapted(await documentedSettings('database.md', 'ini'), {
    'host=10.0.0.20 port=5432': `host=127.0.0.1 port=${postgres}`,
    'listen_addr = *': 'listen_addr = 127.0.0.1\nunix_socket_dir =',
    'listen_port = 6432': `listen_port = ${port}`,
  });
  return (users) => adapted(settings, { '/etc/pgbouncer/users.txt': users });
}

async function createTenant(
  databaseUrl: string,
  url: string,
): Promise<{ key: Tenant['key']; agents: string[] }> {
  const database = await openTestDatabase(databaseUrl);
  try {
    const { id } = await createAccount(database, { name: crypto.randomUUID(), tier: 'enterprise' });
    const { key, newAgent } = await tenantOf(database, id, (own) => apiClient(url, own));
    const agents = await Promise.all(Array.from({ length: clients }, () => newAgent()));
    return { key, agents: agents.map((agent) => agent.id) };
  } finally {
    await database.close();
  }
}

/** Each effect exists once: none is lost, and none was applied twice. */
async function expectKept(rig: Rig, acknowledged: readonly Write[], port: number): Promise<void> {
  expect(acknowledged.length).toBeGreaterThan(clients);
  const { username: user, password } = rig.cluster.role;
  const pool = new pg.Pool({ host: '127.0.0.1', port, user, password, database: name, max: 4 });
  const wrong = async () => {
    const counts = await Promise.all(
      acknowledged.map(async (write) => [write.name, await write.countEffects(pool)] as const),
    );
    return counts.filter(([, effects]) => effects !== 1);
  };
  try {
    // Asynchronous invocations are acknowledged before they run.
    await eventually(async () => {
      expect(await wrong()).toEqual([]);
    });
  } finally {
    await pool.end();
  }
}

const missing = [
  ...(run('haproxy', ['-v']).code === 0 ? [] : ['HAProxy']),
  ...(pgbouncerIsMissing ? ['PgBouncer'] : []),
];
const title = [
  'behind the documented HAProxy and PgBouncer',
  ...missing.map((program) => `(skipped: ${program} is not installed)`),
].join(' ');

(missing.length > 0 ? describe.skip : describe)(title, () => {
  const rig = useFixture(startRig, (started) => started.stop());

  test('a rolling restart fails no request', async () => {
    const load = await rig.load();
    for (const server of servers) {
      const instance = rig.instances[server];
      await load.served();
      await instance.end('SIGTERM');
      await load.served();
      await instance.start();
      await rig.haproxy.noticed('agents', server, 'UP');
    }
    await load.served();
    const { acknowledged, failures } = await load.stop();
    expect(failures).toEqual([]);
    await expectKept(rig, acknowledged, rig.cluster.primary.port);
  });

  test('a killed instance fails only the requests that were in flight', async () => {
    const load = await rig.load();
    await load.served();
    await rig.instances.one.end('SIGKILL');
    const gone = performance.now();
    // At first HAProxy has not noticed, and still sends requests to this instance.
    await load.served();
    await rig.haproxy.noticed('agents', 'one', 'DOWN');
    await load.served();
    await rig.instances.one.start();
    await rig.haproxy.noticed('agents', 'one', 'UP');
    await load.served();
    const { acknowledged, failures } = await load.stop();
    expect(failures.filter(({ sentAt }) => sentAt > gone)).toEqual([]);
    expect(failures.length).toBeLessThanOrEqual(clients);
    await expectKept(rig, acknowledged, rig.cluster.primary.port);
  });

  test('a failover fails requests only until there is a primary, and loses nothing', async () => {
    const load = await rig.load();
    await load.served();
    await rig.cluster.failOver();
    await rig.haproxy.noticed('postgres', 'two', 'UP');
    const promoted = performance.now();
    await rig.ready();
    const recovered = performance.now();
    await load.served();
    await load.served();
    const { acknowledged, failures } = await load.stop();
    expect(failures.filter(({ sentAt }) => sentAt > recovered)).toEqual([]);
    expect(failures.filter(({ outcome }) => !outcome.startsWith('503'))).toEqual([]);
    expect(recovered - promoted).toBeLessThan(recoveryMs);
    await expectKept(rig, acknowledged, rig.cluster.standby.port);
  });
});

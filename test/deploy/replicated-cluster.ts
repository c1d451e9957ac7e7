/** A PostgreSQL with a synchronous standby, and the health checks that Patroni would answer for both. */
import { execFile } from 'node:child_process';
import { appendFile, chown, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { scratchDirectory } from '../../scripts/db/scratch.js';
import { freePort } from '../../server/lib/net/free-port.js';
import { type Cluster, openCluster, SUPERUSER } from '../../server/embedded-postgres/cluster.js';
import { createRoleAndDatabase } from '../../server/embedded-postgres/ownership.js';
import { isAlive, type Postmaster } from '../../server/embedded-postgres/postmaster.js';
import { startServer, stopServer } from '../../server/embedded-postgres/server.js';
import { embeddedOptions } from '../../server/process/embedded-database.js';
import { query } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { type HttpServer, startHttpServer } from '../helpers/servers/http-server.js';

export interface ReplicatedCluster {
  primary: Server;
  standby: Server;
  /** A role that owns the database of the same name. */
  role: { username: string; password: string };
  /** Ends the primary like a crash, and promotes the standby. */
  failOver: () => Promise<void>;
  stop: () => Promise<void>;
}

interface Server {
  port: number;
  /** Answers `GET /primary` with 200 while the server is the primary. */
  patroniPort: number;
}

interface RunningServer extends Server {
  adminUrl: string;
  postmaster: Postmaster;
  stop: () => Promise<void>;
}

export async function startReplicatedCluster(role: string): Promise<ReplicatedCluster> {
  const [dataDir, copyDir] = [await scratchDirectory(), await scratchDirectory()];
  const cluster = await openCluster(embeddedOptions({ dataDir, durable: false }));
  // The standby is a copy from before the first start, which the primary then tells everything that it lacks.
  await promisify(execFile)('cp', ['-a', path.join(dataDir, 'postgres'), copyDir]);
  const primary = await startMember(cluster);
  const { role: password } = cluster.passwords;
  await createRole(primary.adminUrl, role, password);
  const copy = await openCluster(embeddedOptions({ dataDir: copyDir, durable: false }));
  await follow(copy, primary);
  const standby = await startMember(copy);
  await query(primary.adminUrl, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await query(primary.adminUrl, 'SELECT pg_reload_conf()');
  await eventually(async () => {
    const [replica] = await query<{ sync_state: string }>(
      primary.adminUrl,
      'SELECT sync_state FROM pg_stat_replication',
    );
    if (replica?.sync_state !== 'sync') throw new Error('The standby is not synchronous.');
  });
  return {
    primary,
    standby,
    role: { username: role, password },
    failOver: async () => {
      const { pid } = primary.postmaster;
      process.kill(pid, 'SIGQUIT');
      await eventually(() => {
        if (isAlive(pid)) throw new Error('The primary is still running.');
      });
      await query(standby.adminUrl, 'SELECT pg_promote()');
    },
    stop: async () => {
      await Promise.all([primary.stop(), standby.stop()]);
      for (const directory of [dataDir, copyDir]) {
        await rm(directory, { recursive: true, force: true });
      }
    },
  };
}

async function startMember({ server, passwords }: Cluster): Promise<RunningServer> {
  const postmaster = await startServer(server, await freePort());
  const { port } = postmaster;
  const adminUrl = `postgresql://${SUPERUSER}:${passwords.superuser}@127.0.0.1:${port}/postgres`;
  const patroni = await answerLikePatroni(adminUrl);
  return {
    port,
    patroniPort: patroni.port,
    adminUrl,
    postmaster,
    stop: async () => {
      await patroni.stop();
      await stopServer(server.pgdata);
    },
  };
}

async function answerLikePatroni(adminUrl: string): Promise<HttpServer> {
  const pool = new pg.Pool({ connectionString: adminUrl, max: 1, idleTimeoutMillis: 0 });
  pool.on('error', () => undefined);
  const isPrimary = async () => {
    const { rows } = await pool.query<{ isStandby: boolean }>(
      'SELECT pg_is_in_recovery() AS "isStandby"',
    );
    return rows[0]?.isStandby === false;
  };
  const server = await startHttpServer((_req, res) => {
    void isPrimary()
      .catch(() => false)
      .then((is) => res.writeHead(is ? 200 : 503).end());
  });
  return {
    ...server,
    stop: async () => {
      await server.stop();
      await pool.end();
    },
  };
}

async function createRole(adminUrl: string, role: string, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await createRoleAndDatabase(client, role, password);
  } finally {
    await client.end();
  }
}

/** Makes a cluster that has not started yet the standby of the primary. */
async function follow({ server, passwords }: Cluster, { port }: Server): Promise<void> {
  const connection = `host=127.0.0.1 port=${port} user=${SUPERUSER} password=${passwords.superuser}`;
  const settings = path.join(server.pgdata, 'postgresql.auto.conf');
  await appendFile(settings, `primary_conninfo = '${connection}'\n`);
  const signal = path.join(server.pgdata, 'standby.signal');
  await writeFile(signal, '');
  const { uid, gid } = await stat(server.pgdata);
  await chown(signal, uid, gid);
}

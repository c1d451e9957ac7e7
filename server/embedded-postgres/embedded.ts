/** Runs the embedded PostgreSQL: creates its cluster, adopts a server that is still running, and restarts it after a crash. */
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../lib/net/free-port.js';
import { type Cluster, type ClusterOptions, openCluster, SUPERUSER } from './cluster.js';
import { createRoleAndDatabase, type Ownership, takeOwnership } from './ownership.js';
import { EmbeddedPostgresError } from './problem.js';
import { beginStop, findRunning, startServer, stopServer } from './server.js';

export interface EmbeddedOptions extends ClusterOptions {
  /** Owns a database of the same name, and is not a superuser. Created if it is missing. */
  role: string;
  /** Of the session that reserves the cluster for this process. */
  applicationName: string;
  /** Receives a message when PostgreSQL is lost, when it is restarted, and with the error when a restart fails. */
  log: (message: string, error?: unknown) => void;
}

export interface EmbeddedDatabase {
  /** Connects as the role, which owns its database. */
  url: string;
  /** For creating and dropping further databases. */
  adminUrl: string;
  /** Whether the server was already running. */
  adopted: boolean;
  stop(): Promise<void>;
}

interface OpenServer {
  ownership: Ownership;
  port: number;
  pid: number;
  adopted: boolean;
}

const START_ATTEMPTS = 3;
const RETRY_MS = 500;

/** Owns the cluster until it is stopped. Throws an EmbeddedPostgresError if a person has to do something. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { log, role, applicationName } = options;
  const cluster = await openCluster(options);
  let stopping = false;
  let recovery: Promise<void> | undefined;

  const onLost = () => {
    if (!stopping) recovery = recover();
  };
  const open = (port?: number) => openServer({ ...cluster, applicationName, onLost }, port);
  const recover = async () => {
    log('The embedded PostgreSQL was lost; restarting it.');
    while (!stopping) {
      try {
        opened = await open(opened.port);
        log('The embedded PostgreSQL was restarted.');
        return;
      } catch (error) {
        log('Restarting the embedded PostgreSQL failed.', error);
        await delay(RETRY_MS);
      }
    }
  };

  let opened = await open();
  // Handles a process that exits without stop(). After a SIGKILL the next start adopts the server.
  const stopAtExit = () => {
    beginStop(opened.pid);
  };
  process.once('exit', stopAtExit);
  // The role is not a superuser of its own database, so that the same rules apply as on a managed PostgreSQL.
  await createRoleAndDatabase(opened.ownership.client, role, cluster.passwords.role);
  return {
    ...urlsOf(cluster, role, opened.port),
    adopted: opened.adopted,
    stop: async () => {
      stopping = true;
      await recovery;
      await opened.ownership.release();
      await stopServer(cluster.server.pgdata);
      process.off('exit', stopAtExit);
    },
  };
}

/** Uses a running server without owning it, or starts one. */
export async function joinEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const cluster = await openCluster(options);
  const running = await findRunning(cluster.server.pgdata);
  if (!running) return startEmbedded(options);
  return {
    ...urlsOf(cluster, options.role, running.port),
    adopted: true,
    stop: () => Promise.resolve(),
  };
}

interface OpenOptions extends Cluster {
  applicationName: string;
  onLost: () => void;
}

// Retries because another program may take the free port, because another process may be starting PostgreSQL on the same
// directory (the next attempt finds it), and because a running server may be about to exit.
async function openServer(options: OpenOptions, preferredPort?: number): Promise<OpenServer> {
  let started = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      let server = await findRunning(options.server.pgdata);
      if (server === undefined) {
        const port = preferredPort ?? (await freePort());
        server = await startServer(options.server, port);
        started = true;
      }
      const { port, pid } = server;
      const url = adminUrl(options.passwords.superuser, port);
      return { ownership: await takeOwnership({ ...options, url }), port, pid, adopted: !started };
    } catch (error) {
      if (error instanceof EmbeddedPostgresError && error.problem === 'cluster_in_use') throw error;
      if (attempt === START_ATTEMPTS) {
        if (started) await stopServer(options.server.pgdata);
        throw error;
      }
      await delay(RETRY_MS);
    }
  }
}

/** On a machine that is busy with other work, a session takes long to begin. */
const patience = 'connect_timeout=60';

function urlsOf(
  { passwords }: Cluster,
  role: string,
  port: number,
): Pick<EmbeddedDatabase, 'url' | 'adminUrl'> {
  return {
    url: `postgresql://${role}:${passwords.role}@127.0.0.1:${port}/${role}?${patience}`,
    adminUrl: adminUrl(passwords.superuser, port),
  };
}

function adminUrl(password: string, port: number): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres?${patience}`;
}

/** Runs the embedded PostgreSQL: creates its cluster, adopts a server that is still running, and restarts it after a crash. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { hasCode, messageOf } from '../lib/errors/error-code.js';
import { PostgresClient } from '../postgres/client.js';
import { createRoleAndDatabase } from './create.sql.js';
import { freePort } from '../lib/net/free-port.js';
import { assertDataDirectoryUsable } from '../config/data-directory.js';
import { type Cluster, assertClusterExists, openCluster, SUPERUSER } from './cluster.js';
import { type Ownership, takeOwnership } from './ownership.js';
import { beginStop, findRunning, startServer, stopServer } from './server.js';

export interface EmbeddedOptions {
  dataDir: string;
  /** False: do not fsync. Only for temporary clusters. */
  durable?: boolean;
  /** Receives a message when PostgreSQL is lost and when it is restarted. */
  log?: (message: string) => void;
}

export interface EmbeddedDatabase {
  /** For the service: connects as an unprivileged role that owns its database. */
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

class InUseError extends Error {}

const ROLE = 'agent_hosting';
const START_ATTEMPTS = 3;
const RETRY_MS = 500;
const WRONG_PASSWORD = '28P01';

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { log = () => undefined, durable = true } = options;
  const cluster = await openCluster(options.dataDir, durable);
  const { passwords, server } = cluster;
  let stopping = false;
  let recovery: Promise<void> | undefined;

  const onLost = () => {
    if (!stopping) recovery = recover();
  };
  const open = (port?: number) => openServer({ ...cluster, onLost }, port);
  const recover = async () => {
    log('The embedded PostgreSQL was lost; restarting it.');
    while (!stopping) {
      try {
        opened = await open(opened.port);
        log('The embedded PostgreSQL was restarted.');
        return;
      } catch (error) {
        log(`Restarting the embedded PostgreSQL failed. ${messageOf(error)}`);
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
  // The service is not a superuser of its own database, so that the same rules apply as on a managed PostgreSQL.
  await createRoleAndDatabase(opened.ownership.client, ROLE, passwords.service);
  return {
    url: serviceUrl(passwords.service, opened.port),
    adminUrl: adminUrl(passwords.superuser, opened.port),
    adopted: opened.adopted,
    stop: async () => {
      stopping = true;
      await recovery;
      await opened.ownership.release();
      await stopServer(server.pgdata);
      process.off('exit', stopAtExit);
    },
  };
}

/** For commands and workers: uses a running server without owning it, or starts one on the existing database. */
export async function joinEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  await assertClusterExists(options.dataDir);
  return joinOrStart(options);
}

/** For a restore: like `joinEmbedded`, but creates a database if the directory exists and has none. */
export async function joinOrCreateEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  await assertDataDirectoryUsable(options.dataDir);
  return joinOrStart(options);
}

async function joinOrStart(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { passwords, server } = await openCluster(options.dataDir, options.durable ?? true);
  const running = await findRunning(server.pgdata);
  if (!running) return startEmbedded(options);
  return {
    url: serviceUrl(passwords.service, running.port),
    adminUrl: adminUrl(passwords.superuser, running.port),
    adopted: true,
    stop: () => Promise.resolve(),
  };
}

interface OpenOptions extends Cluster {
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
      return { ownership: await own(options, port), port, pid, adopted: !started };
    } catch (error) {
      if (error instanceof InUseError) throw error;
      if (attempt === START_ATTEMPTS) {
        if (started) await stopServer(options.server.pgdata);
        throw error;
      }
      await delay(RETRY_MS);
    }
  }
}

async function own({ dataDir, passwords, onLost }: OpenOptions, port: number): Promise<Ownership> {
  const client = await openAsSuperuser(adminUrl(passwords.superuser, port));
  const ownership = await takeOwnership(client, onLost);
  if (ownership !== undefined) return ownership;
  throw new InUseError(
    `Another service is running on ${dataDir}. Stop it first, or set a different DATA_DIR. ` +
      'To run several services on one database, set DATABASE_URL.',
  );
}

/** On a machine that is busy with other work, a session takes long to begin. */
const patience = 'connect_timeout=60';

async function openAsSuperuser(url: string): Promise<pg.Client> {
  const client = new PostgresClient({
    connectionString: url,
    application_name: `agent-hosting-service owner ${process.pid}`,
  });
  try {
    await client.connect();
    return client;
  } catch (cause) {
    if (!hasCode(cause, WRONG_PASSWORD)) throw cause;
    throw new Error(
      "The embedded database does not accept its superuser's password. Restore DATA_DIR from one backup, with all files in postgres.",
      { cause },
    );
  }
}

function serviceUrl(password: string, port: number): string {
  return `postgresql://${ROLE}:${password}@127.0.0.1:${port}/${ROLE}?${patience}`;
}

function adminUrl(password: string, port: number): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres?${patience}`;
}

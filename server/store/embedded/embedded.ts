/** Runs the embedded PostgreSQL: creates its cluster, adopts a server left running, and restarts it after a crash. */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../lib/error-code.js';
import { createRoleAndDatabase } from '../sql/embedded-create.js';
import { freePort } from './free-port.js';
import { openCluster, SUPERUSER } from './cluster.js';
import { type Ownership, takeOwnership } from './ownership.js';
import { findRunning, type ServerOptions, startServer, stopServer } from './server.js';

export interface EmbeddedOptions {
  dataDir: string;
  /** False: do not fsync. Only for temporary clusters. */
  durable?: boolean;
  /** Receives a message when PostgreSQL is lost and when it is restarted. */
  log?: (message: string) => void;
}

export interface EmbeddedDatabase {
  /** For the service: an unprivileged role that owns its database. */
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
  adopted: boolean;
}

class InUseError extends Error {}

const ROLE = 'agent_hosting';
const START_ATTEMPTS = 3;
const RETRY_MS = 500;

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { log = () => undefined, durable = true } = options;
  const { dataDir, password, server } = await openCluster(options.dataDir, durable);
  let stopping = false;
  let recovery: Promise<void> | undefined;

  const onLost = () => {
    if (!stopping) recovery = recover();
  };
  const open = (port?: number) => openServer({ dataDir, password, server, onLost }, port);
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
  // The service is no superuser of its own database either: the same rules as on a managed PostgreSQL.
  await createRoleAndDatabase(opened.ownership.client, ROLE, password);
  return {
    url: serviceUrl(password, opened.port),
    adminUrl: adminUrl(password, opened.port),
    adopted: opened.adopted,
    stop: async () => {
      stopping = true;
      await recovery;
      await opened.ownership.release();
      await stopServer(server.pgdata);
    },
  };
}

/** For commands and workers: uses a server that is already running, without owning it, or else starts one. */
export async function joinEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { password, server } = await openCluster(options.dataDir, options.durable ?? true);
  const running = await findRunning(server.pgdata);
  if (!running) return startEmbedded(options);
  return {
    url: serviceUrl(password, running.port),
    adminUrl: adminUrl(password, running.port),
    adopted: true,
    stop: () => Promise.resolve(),
  };
}

interface OpenOptions {
  dataDir: string;
  password: string;
  server: ServerOptions;
  onLost: () => void;
}

// Retries because the free port may be taken before it is used, because another process may be starting PostgreSQL on
// the same directory (the next attempt finds it), and because a running server may be about to exit.
async function openServer(options: OpenOptions, preferredPort?: number): Promise<OpenServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const running = await findRunning(options.server.pgdata);
      const { port } =
        running ?? (await startServer(options.server, preferredPort ?? (await freePort())));
      return { ownership: await own(options, port), port, adopted: running !== undefined };
    } catch (error) {
      if (error instanceof InUseError || attempt === START_ATTEMPTS) throw error;
      await delay(RETRY_MS);
    }
  }
}

async function own({ dataDir, password, onLost }: OpenOptions, port: number): Promise<Ownership> {
  const ownership = await takeOwnership(adminUrl(password, port), onLost);
  if (ownership !== undefined) return ownership;
  throw new InUseError(
    `Another service is running on ${dataDir}. Stop it first, or set a different DATA_DIR. ` +
      'To run several services on one database, set DATABASE_URL.',
  );
}

function serviceUrl(password: string, port: number): string {
  return `postgresql://${ROLE}:${password}@127.0.0.1:${port}/${ROLE}`;
}

function adminUrl(password: string, port: number): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
}

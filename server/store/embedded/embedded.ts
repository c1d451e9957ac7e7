/** Runs PostgreSQL for the service in its own data directory: creates it, adopts one that is left running, guards it. */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../lib/error-code.js';
import { freePort } from '../../lib/free-port.js';
import { createRoleAndDatabase } from '../sql/embedded-create.js';
import { openCluster, SUPERUSER } from './cluster.js';
import { type Ownership, takeOwnership } from './ownership.js';
import { findRunning, type ServerOptions, startServer, stopServer } from './server.js';

export interface EmbeddedOptions {
  dataDir: string;
  /** False: do not wait for the disk. Only for clusters that are thrown away. */
  durable?: boolean;
  /** Told when PostgreSQL went away and came back. */
  log?: (message: string) => void;
}

export interface EmbeddedDatabase {
  /** For the service: an ordinary role that owns its database. */
  url: string;
  /** For making and dropping further databases. */
  adminUrl: string;
  /** Whether it was still running from an earlier start. */
  adopted: boolean;
  stop(): Promise<void>;
}

interface Opened {
  ownership: Ownership;
  port: number;
  adopted: boolean;
}

class InUse extends Error {}

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
    log('The embedded PostgreSQL went away; starting it again.');
    while (!stopping) {
      try {
        opened = await open(opened.port);
        log('The embedded PostgreSQL is back.');
        return;
      } catch (error) {
        log(`The embedded PostgreSQL is not back yet. ${messageOf(error)}`);
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

/** For a guest, such as a command: uses the PostgreSQL that runs, whoever owns it, or runs it for as long as it needs. */
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

interface Opening {
  dataDir: string;
  password: string;
  server: ServerOptions;
  onLost: () => void;
}

// Tried again because a port may be taken between being found and being used, because another process may be starting
// PostgreSQL on the same directory (then it is found on the next turn), and because a running one may be just dying.
async function openServer(opening: Opening, wantedPort?: number): Promise<Opened> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const running = await findRunning(opening.server.pgdata);
      const { port } =
        running ?? (await startServer(opening.server, wantedPort ?? (await freePort())));
      return { ownership: await own(opening, port), port, adopted: running !== undefined };
    } catch (error) {
      if (error instanceof InUse || attempt === START_ATTEMPTS) throw error;
      await delay(RETRY_MS);
    }
  }
}

async function own({ dataDir, password, onLost }: Opening, port: number): Promise<Ownership> {
  const ownership = await takeOwnership(adminUrl(password, port), onLost);
  if (ownership !== undefined) return ownership;
  throw new InUse(
    `Another service is running on ${dataDir}. Stop it first, or give this one a DATA_DIR of its own. ` +
      'To run several services on one database, set DATABASE_URL.',
  );
}

function serviceUrl(password: string, port: number): string {
  return `postgresql://${ROLE}:${password}@127.0.0.1:${port}/${ROLE}`;
}

function adminUrl(password: string, port: number): string {
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
}

/** A primary and its streaming replica, made by PostgreSQL itself: a base backup over SQL, which needs no other program. */
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { openCluster } from '../../server/store/embedded/cluster.js';
import { startEmbedded } from '../../server/store/embedded/embedded.js';
import { freePort } from '../../server/store/embedded/free-port.js';
import { startServer, stopServer } from '../../server/store/embedded/server.js';
import { migrate } from '../../server/store/migrations/migrate.js';
import { eventually } from './eventually.js';
import { temporaryFolder } from './workspace.js';

export interface ReplicatedDatabase {
  url: string;
  replicaUrl: string;
  /** Runs a statement as superuser of the service's database. */
  onPrimary: (statement: string) => Promise<Record<string, unknown>[]>;
  onReplica: (statement: string) => Promise<Record<string, unknown>[]>;
  /** Ends the replica at once, as a lost machine does. */
  killReplica: () => Promise<void>;
  startReplica: () => Promise<void>;
  /** Stops (SIGSTOP) or continues (SIGCONT) every process of the replica. */
  signalReplica: (signal: NodeJS.Signals) => Promise<void>;
  close: () => Promise<void>;
}

export async function startReplicated(): Promise<ReplicatedDatabase> {
  const folder = await temporaryFolder();
  const [primaryDir, replicaDir] = [path.join(folder, 'primary'), path.join(folder, 'replica')];
  const primary = await startEmbedded({ dataDir: primaryDir, durable: false });
  await migrate({ url: primary.url });
  await copyCluster(primary.adminUrl, primaryDir, replicaDir);
  const { server } = await openCluster(replicaDir, false);
  const port = await freePort();
  const at = (url: string, toPort: number, database: string) => {
    const address = new URL(url);
    address.port = String(toPort);
    address.pathname = database;
    return address.href;
  };
  const database = new URL(primary.url).pathname;
  const primaryPort = Number(new URL(primary.url).port);
  let { pid } = await startServer(server, port);
  const children = async () => {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
    const processes = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
    return processes.filter(([, parent]) => parent === pid).map(([child = 0]) => child);
  };
  const signalReplica = async (signal: NodeJS.Signals) => {
    for (const one of [pid, ...(await children())]) process.kill(one, signal);
  };
  return {
    url: primary.url,
    replicaUrl: at(primary.url, port, database),
    onPrimary: (statement) => query(at(primary.adminUrl, primaryPort, database), statement),
    onReplica: (statement) => query(at(primary.adminUrl, port, database), statement),
    killReplica: async () => {
      const processes = [pid, ...(await children())];
      process.kill(pid, 'SIGQUIT');
      await eventually(() => {
        if (processes.some(isAlive)) throw new Error('It is still running.');
      }, 20_000);
    },
    startReplica: async () => {
      ({ pid } = await startServer(server, port));
    },
    signalReplica,
    close: async () => {
      await signalReplica('SIGCONT').catch(() => undefined);
      await stopServer(server.pgdata);
      await primary.stop();
    },
  };
}

/** Copies the files while the server runs; what changes meanwhile is in its log, which the replica replays. */
async function copyCluster(adminUrl: string, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`SELECT pg_backup_start('replica', fast => true)`);
  await mkdir(to, { mode: 0o711 });
  await promisify(execFile)('cp', ['-a', path.join(from, 'postgres'), to]);
  const { rows } = await client.query<{ labelfile: string }>(
    'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
  );
  await client.end();
  const data = path.join(to, 'postgres', 'data');
  await rm(path.join(data, 'postmaster.pid'));
  await writeFile(path.join(data, 'backup_label'), rows[0]?.labelfile ?? '');
  await writeFile(path.join(data, 'standby.signal'), '');
  const { hostname: host, port, username: user, password } = new URL(adminUrl);
  const settings = [
    `primary_conninfo = 'host=${host} port=${port} user=${user} password=${password}'`,
    // Cancels statements that are in the way of the replay soon.
    `max_standby_streaming_delay = '100ms'`,
  ];
  await writeFile(path.join(data, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
  for (const file of ['backup_label', 'standby.signal', 'postgresql.auto.conf']) {
    await giveToOwner(data, path.join(data, file));
  }
}

/** Gives the file to the user that the directory belongs to. */
const giveToOwner = (directory: string, file: string) =>
  promisify(execFile)('chown', [`--reference=${directory}`, file]);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** A PostgreSQL for fault tests: it can be killed, paused and filled. */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { eventually } from '../helpers/eventually.js';
import { startScratchCluster } from '../../scripts/db/scratch.js';

export interface FaultyCluster {
  /** A new empty database. */
  createDatabase: (options?: { tablespace?: string }) => Promise<string>;
  /** Runs a statement as superuser. */
  administer: (statement: string, database?: string) => Promise<Record<string, unknown>[]>;
  /**
   * Kills every process of the server, like `pg_ctl restart -m immediate`, and starts it again. Resolves to the time in ms
   * until it accepted connections again.
   */
  crash: () => Promise<number>;
  /** Sends a signal to the server and all its sessions. */
  signal: (signal: NodeJS.Signals) => Promise<void>;
  /** The user that the server runs as. */
  owner: () => Promise<{ uid: number; gid: number }>;
  stop: () => Promise<void>;
}

export async function startFaultyCluster(): Promise<FaultyCluster> {
  const cluster = await startScratchCluster({ durable: true });
  let databases = 0;
  const administer: FaultyCluster['administer'] = async (statement, database = 'postgres') => {
    const url = new URL(cluster.adminUrl);
    url.pathname = database;
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  };
  const postmaster = async () => {
    const [row] = await administer(
      `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
    );
    return Number(row?.['pid']);
  };
  // A paused server cannot be queried.
  const pid = { current: await postmaster() };
  return {
    administer,
    createDatabase: async ({ tablespace = 'pg_default' } = {}) => {
      databases += 1;
      const url = new URL(cluster.url);
      const { username: role } = url;
      url.pathname = `faults_${databases}`;
      await administer(
        `CREATE DATABASE faults_${databases} OWNER ${role} TABLESPACE ${tablespace}`,
      );
      return url.href;
    },
    crash: async () => {
      process.kill(await postmaster(), 'SIGQUIT');
      const start = performance.now();
      await eventually(() => administer('SELECT 1'), 60_000);
      return performance.now() - start;
    },
    signal: async (signal) => {
      if (signal !== 'SIGCONT') pid.current = await postmaster();
      const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
      const processes = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
      const sessions = processes.filter(([, parent]) => parent === pid.current);
      for (const [process_ = 0] of [[pid.current], ...sessions]) send(process_, signal);
    },
    owner: async () => stat(`/proc/${await postmaster()}`),
    stop: () => cluster.stop(),
  };
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The session has just ended.
  }
}

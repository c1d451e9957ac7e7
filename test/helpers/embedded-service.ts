/** Starts and ends services with an embedded database as processes of their own. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { projectRoot } from '../../server/lib/project-files.js';

export interface EmbeddedService {
  url: string;
  adopted: boolean;
  /** As SIGTERM would: PostgreSQL is stopped as well. */
  stop(): Promise<void>;
  /** kill -9: PostgreSQL learns nothing of it. */
  kill(): Promise<void>;
}

export interface ServiceOptions {
  uid?: number;
  gid?: number;
}

/** Rejects with what the service said if it did not start. */
export async function startService(
  dataDir: string,
  user: ServiceOptions = {},
): Promise<EmbeddedService> {
  const program: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    process.execPath,
    ['--import', 'tsx', 'test/helpers/embedded-program.ts', dataDir],
    { cwd: projectRoot, stdio: ['pipe', 'pipe', 'pipe'], ...user },
  );
  const said = text(program.stderr);
  const exited = once(program, 'exit');
  const line = await Promise.race([firstLine(program.stdout), exited.then(() => undefined)]);
  if (line === undefined) throw new Error(await said);
  const facts: unknown = JSON.parse(line);
  if (!isFacts(facts)) throw new Error(`The service said something else: ${line}`);
  return {
    ...facts,
    stop: async () => {
      program.stdin.end();
      await exited;
    },
    kill: async () => {
      program.kill('SIGKILL');
      await exited;
    },
  };
}

/** The process that a data directory's PostgreSQL runs as. */
export async function postmasterOf(dataDir: string): Promise<number> {
  const file = path.join(dataDir, 'postgres', 'data', 'postmaster.pid');
  return Number((await readFile(file, 'utf8')).split('\n')[0]);
}

export async function query<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

function firstLine(input: Readable): Promise<string> {
  return new Promise((resolve) => createInterface({ input }).once('line', resolve));
}

function isFacts(value: unknown): value is Pick<EmbeddedService, 'url' | 'adopted'> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'url' in value &&
    typeof value.url === 'string' &&
    'adopted' in value &&
    typeof value.adopted === 'boolean'
  );
}

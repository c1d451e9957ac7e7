/** A release of the service in a separate folder, with its own migrations. */
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ReleasedMigration, writeMigrations } from '../../scripts/release/schemas.js';
import { builtPrograms } from '../helpers/programs/built-project.js';
import {
  type ProgramOptions,
  ready,
  type ServiceProcess,
  startProgram,
} from '../helpers/programs/process.js';
import { root, temporaryFolder } from '../helpers/programs/workspace.js';

export interface ReleaseOptions {
  migrations: readonly ReleasedMigration[];
  /** The last migration of the previous release. */
  runsBeside: string;
}

/** Returns the folder. It is this build, which differs from another release only by its migrations. */
export async function makeRelease({ migrations, runsBeside }: ReleaseOptions): Promise<string> {
  const folder = await temporaryFolder();
  const built = await builtPrograms();
  const shared = ['node_modules', 'dist', 'prisma'];
  await cp(built, folder, {
    recursive: true,
    filter: (source) => !shared.includes(path.relative(built, source)),
  });
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  await mkdir(path.join(folder, 'prisma'));
  await cp(path.join(root, 'prisma/schema.prisma'), path.join(folder, 'prisma/schema.prisma'));
  await writeFile(
    path.join(folder, 'prisma/previous-release.json'),
    JSON.stringify({ version: '0.0.0', migration: runsBeside }),
  );
  await writeMigrations(path.join(folder, 'prisma/migrations'), migrations);
  return folder;
}

export async function startRelease(
  folder: string,
  environment: NonNullable<ProgramOptions['environment']>,
): Promise<ServiceProcess> {
  const program = startProgram(path.join(folder, 'server/main.js'), [], { environment });
  return ready(program);
}

/** `npm run db:diff`: writes a migration for the changes in prisma/schema.prisma. */

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { messageOf } from '../server/lib/errors/error-code.js';
import {
  MIGRATIONS_DIRECTORY,
  migrationNames,
  SCHEMA_FILE,
} from '../server/postgres/migrations/migrations.js';
import { diffSchema } from './db/schema-diff.js';
import { startScratchCluster } from './db/scratch.js';
import { command } from './lib/command.js';
import { Failure, runProgram } from './lib/failure.js';

interface Options {
  name?: string;
  schema: string;
  migrations: string;
}

const options = command(
  'db:diff',
  'Write a migration that brings prisma/migrations up to prisma/schema.prisma. Without --name, only print it, and exit with 1 if there is a difference.',
)
  .option('--name <name>', 'name of the migration, such as add_agent_labels', migrationName)
  .option('--schema <file>', 'path of the schema', SCHEMA_FILE)
  .option('--migrations <directory>', 'path of the migrations', MIGRATIONS_DIRECTORY)
  .parse()
  .opts<Options>();

function migrationName(text: string): string {
  if (/^[a-z][a-z0-9_]{0,99}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be in lower_case_with_underscores.');
}

async function main({ name, schema, migrations }: Options): Promise<void> {
  const script = await difference(schema, migrations);
  if (script === '') {
    console.log('No difference: the migrations result in the schema.');
    return;
  }
  if (name === undefined) {
    console.log(script);
    throw new Failure('The migrations lack this change. Run again with --name to write it.');
  }
  const file = path.join(migrations, await directoryName(name, migrations), 'migration.sql');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, script, { flag: 'wx' });
  console.log(`wrote ${path.relative('.', file)}`);
  console.log(
    'Read it: add by hand what Prisma cannot express (COLLATE "C" for ids and names, partial indexes, CHECK constraints).',
  );
}

async function difference(schemaFile: string, migrationsDirectory: string): Promise<string> {
  const scratch = await startScratchCluster();
  try {
    return await diffSchema({ schemaFile, migrationsDirectory, scratchUrl: scratch.url });
  } catch (error) {
    throw new Failure(messageOf(error));
  } finally {
    await scratch.stop();
  }
}

// Migrations are applied in the order of their names, so a new one must sort last even if the clock is wrong.
async function directoryName(name: string, migrations: string): Promise<string> {
  const now = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const last = (await migrationNames(migrations)).at(-1)?.slice(0, 14) ?? '';
  const timestamp = now > last ? now : String(Number(last) + 1);
  return `${timestamp}_${name}`;
}

await runProgram(() => main(options));

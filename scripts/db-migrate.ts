/** `npm run db:migrate`: applies pending migrations, as every start of the service does. */

import { loadDatabaseConfig, loadEnvironmentFile } from '../server/config/config.js';
import { messageOf } from '../server/lib/errors/error-code.js';
import { migrate } from '../server/postgres/migrations/migrate.js';
import { openEmbedded } from '../server/process/embedded-database.js';
import { command } from './lib/command.js';
import { Failure, runProgram } from './lib/failure.js';

command(
  'db:migrate',
  'Apply pending migrations to DATABASE_URL (DIRECT_DATABASE_URL, if set) or to the embedded database in DATA_DIR.',
).parse();

async function main(): Promise<void> {
  const { database, dataDir } = loadDatabaseConfig(process.env, loadEnvironmentFile());
  const applied =
    database.directUrl === undefined
      ? await migrateEmbedded(dataDir)
      : await migrate({
          url: database.directUrl,
          variable: database.pooled ? 'DIRECT_DATABASE_URL' : 'DATABASE_URL',
        });
  for (const name of applied) console.log(`applied ${name}`);
  console.log('The database is up to date.');
}

async function migrateEmbedded(dataDir: string): Promise<string[]> {
  const embedded = await openEmbedded('start', { dataDir });
  try {
    return await migrate({ url: embedded.url });
  } finally {
    await embedded.stop();
  }
}

await runProgram(() =>
  main().catch((error: unknown) => {
    throw new Failure(messageOf(error));
  }),
);

/** Restores a backup into an empty database, in one transaction. */
import type { Readable } from 'node:stream';
import type pg from 'pg';
import {
  applicationName,
  assertNotPooled,
  connectDirectly,
  type DirectConnection,
} from '../postgres/direct-connection.js';
import { DatabaseProblem } from '../postgres/connection-problem.js';
import { assertMayMigrate } from '../postgres/migrations/rights.sql.js';
import { applyMigrations, inTransaction, takeMigrationLock } from '../postgres/migrations/apply.js';
import { setCompatibleFrom } from '../postgres/migrations/history.sql.js';
import {
  canRunOn,
  checksumOf,
  MIGRATIONS_DIRECTORY,
  migrationNames,
  previousRelease,
  problemWithOldData,
  readMigration,
} from '../postgres/migrations/migrations.js';
import { readOccupancy } from './copy.sql.js';
import { type FillResult, fillTables, type OnProgress } from './fill-tables.js';
import { type BackupHeader, BackupProblem } from './format.js';
import { openBackup } from './read-backup.js';

interface RestoreOptions extends DirectConnection {
  /** The directory of migrations; by default, this release's. */
  directory?: string;
  /** Throws if this service could not use the data. Called before anything is written. */
  assertUsable: (header: BackupHeader) => void;
  onProgress?: OnProgress;
}

export interface Restored extends FillResult {
  header: BackupHeader;
  /** Whether the tables of the backup are those of a newer release. */
  isNewer: boolean;
}

const name = 'restore';

/** Throws a BackupProblem or a DatabaseProblem; the database then remains empty. */
export async function restoreBackup(options: RestoreOptions, source: Readable): Promise<Restored> {
  const { directory = MIGRATIONS_DIRECTORY, variable = 'DATABASE_URL' } = options;
  const { header, rows } = await openBackup(source);
  const { known, pending, isNewer } = await selectMigrations(header, directory);
  options.assertUsable(header);
  const connect = () => connectDirectly({ ...options, name });
  const client = await connect();
  try {
    await assertNotPooled(client, connect, variable);
    await assertMayMigrate(client);
    // A service that starts during the restore waits for the lock, and then finds the restored tables.
    await takeMigrationLock(client);
    await assertEmpty(client);
    return await inTransaction(client, async () => {
      await applyMigrations(client, { directory, names: known });
      const { onProgress } = options;
      const filled = await fillTables(client, { header, rows, isNewer, onProgress });
      // Migrations that are newer than the backup run after the data is restored, as in an upgrade.
      await applyMigrations(client, { directory, names: pending });
      await setCompatibleFrom(client, (await previousRelease()).migration);
      return { header, isNewer, ...filled };
    });
  } finally {
    await client.end();
  }
}

interface Selection {
  /** The migrations of the backup that this release has too. */
  known: string[];
  /** Those that only this release has. */
  pending: string[];
  /** Whether the backup has others, of a release that this one is compatible with. */
  isNewer: boolean;
}

/** Throws a BackupProblem if this release cannot run on the tables of the backup. */
async function selectMigrations(header: BackupHeader, directory: string): Promise<Selection> {
  const own = await migrationNames(directory);
  const applied = header.migrations.map((migration) => migration.name);
  const unknown = applied.filter((migration) => !own.includes(migration));
  const pending = own.filter((migration) => !applied.includes(migration));
  const problem = problemWithOldData({ first: own[0] ?? '', unknown });
  if (problem !== undefined) throw new BackupProblem(problem);
  const isNewer = unknown.length > 0;
  if (isNewer && !canRunOn({ last: own.at(-1) ?? '', pending }, header.compatibleFrom)) {
    throw new BackupProblem(
      `Its tables are newer than this release, which does not know ${unknown.join(', ')}. Restore it with the release that applied them, or a later one.`,
    );
  }
  for (const migration of header.migrations) {
    if (unknown.includes(migration.name)) continue;
    if (checksumOf(await readMigration(directory, migration.name)) !== migration.checksum) {
      throw new BackupProblem(
        `Its migration ${migration.name} is not the one of this release. Restore it with the release that made it (${header.service}).`,
      );
    }
  }
  return { known: own.filter((migration) => applied.includes(migration)), pending, isNewer };
}

async function assertEmpty(client: pg.ClientBase): Promise<void> {
  const { tables, sessions } = await readOccupancy(client, applicationName(name));
  if (tables.length > 0) {
    const [first = ''] = tables;
    throw new DatabaseProblem(
      `The database is not empty: it has ${tables.length} tables, such as ${first}. A backup is restored into an empty one only: ` +
        'create one and set DATABASE_URL to it, or, without DATABASE_URL, set DATA_DIR to a new directory with the secrets.key of the old one.',
    );
  }
  if (sessions > 0) {
    throw new DatabaseProblem(
      `Services or workers are connected to the database (${sessions} of their connections). Stop them first.`,
    );
  }
}

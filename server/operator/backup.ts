/** `operator backup` and `operator restore`: everything in the database, in one file. */
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { createSecretsKey } from '../lib/crypto.js';
import { Interrupted, interruptible } from '../lib/interrupt.js';
import { serviceVersion } from '../lib/project-files.js';
import { showProgress } from '../lib/terminal.js';
import { type BackupHeader, BackupProblem } from '../store/backup/format.js';
import { verifyBackup } from '../store/backup/read-backup.js';
import { type Restored, restoreBackup } from '../store/backup/restore-backup.js';
import { type Backup, writeBackup } from '../store/backup/write-backup.js';
import { keyIdOfFingerprint } from '../store/secrets-keys.js';
import { assertWritable, readBackupFile, STREAM, writeBackupFile } from './backup-file.js';
import type { Installation, RunApart } from './context.js';
import { CommandFailure } from './failure.js';

const aboutTheKey = `
A backup has everything that is in the database, and nothing else: neither SECRETS_KEY, nor the files of certificates and prices, nor
the environment. Its webhook secrets, authenticators and stored responses are encrypted with SECRETS_KEY, and API keys cannot be
recognised without it. Keep that key (or DATA_DIR/secrets.key) elsewhere than the backups; messages, memory and logs are not encrypted.`;

export function addBackupCommands(operator: Command, run: RunApart): void {
  operator
    .command('backup')
    .description('write everything in the database to a file, while the service runs')
    .argument('<file>', 'the file, or - for standard output')
    .option('--force', 'replace the file if it exists', false)
    .addHelpText(
      'after',
      `${aboutTheKey}\n
It is of one moment, whatever is written meanwhile. It needs DATABASE_URL or DATA_DIR, and not SECRETS_KEY.`,
    )
    .action((file: string, options: { force: boolean }) =>
      run((installation) => backUp(installation, file, options)),
    );

  operator
    .command('restore')
    .description('fill an empty database from a backup')
    .argument('<file>', 'the file of a backup, or - for standard input')
    .addHelpText(
      'after',
      `${aboutTheKey}\n
The database must be empty: a new one in DATABASE_URL, or a new DATA_DIR with the secrets.key of the old one. All of it is restored
or nothing. A backup of an earlier release is migrated to this one. What was waiting in it (deliveries, asynchronous invocations)
goes on when the service starts; to look at a copy only, start it with WORKER=off and ASYNC_CONCURRENCY=0.`,
    )
    .action((file: string) => run((installation) => restore(installation, file)));
}

async function backUp(
  { databaseConfig, openPostgres, outputBeside }: Installation,
  file: string,
  options: { force: boolean },
): Promise<void> {
  await assertWritable(file, options);
  const postgres = await openPostgres(databaseConfig());
  try {
    const made = await interruptible((signal) =>
      writeBackupFile(file, (output) =>
        writeBackup(
          {
            ...postgres.direct,
            service: serviceVersion,
            signal,
            onProgress: ({ table, bytes }) => {
              showProgress(`${sizeOf(bytes)} read, ${table}`);
            },
          },
          output,
        ),
      ),
    ).catch((error: unknown) => {
      throw error instanceof Interrupted
        ? new CommandFailure('Interrupted; nothing of the backup was kept.')
        : error;
    });
    showProgress('');
    const size = file === STREAM ? undefined : (await stat(file)).size;
    const where = size === undefined ? '' : ` to ${file}, ${sizeOf(size)}`;
    outputBeside(file === STREAM).done(
      `${countOf(made)} written${where}.`,
      { file: size === undefined ? null : file, bytes: size ?? null, ...json(made) },
      keyAdvice(made.header),
    );
  } finally {
    showProgress('');
    await postgres.stop();
  }
}

function keyAdvice({ secretsKey }: BackupHeader): string[] {
  return secretsKey === null
    ? []
    : [
        `It is of no use without the SECRETS_KEY with the id ${keyIdOfFingerprint(secretsKey)}, which is not in it. Keep that elsewhere.`,
      ];
}

async function restore(
  { config: load, databaseKeys, openPostgres, outputBeside }: Installation,
  file: string,
): Promise<void> {
  const config = load();
  const source = await readBackupFile(file);
  const keys = await databaseKeys(config);
  const fingerprints = keys?.map((key) => createSecretsKey(key).fingerprint);
  const assertUsable = (header: BackupHeader) => {
    assertKey(header, fingerprints);
  };
  try {
    if (source.isRepeatable) {
      // The whole file is known to be good before PostgreSQL has work with it.
      const header = await verifyBackup(source.open(), (bytes) => {
        showProgress(`${sizeOf(bytes)} checked`);
      });
      assertUsable(header);
    }
    const postgres = await openPostgres(config);
    try {
      const restored = await restoreBackup(
        {
          ...postgres.direct,
          assertUsable,
          onProgress: ({ table, bytes }) => {
            showProgress(`${sizeOf(bytes)} restored, ${table}`);
          },
        },
        source.open(),
      );
      showProgress('');
      outputBeside(false).done(
        `${countOf(restored)} restored, as of ${restored.header.createdAt}. Start the service.`,
        { ...json(restored), left_out: restored.foreignTables },
        leftOut(restored),
      );
    } finally {
      await postgres.stop();
    }
  } catch (error) {
    if (!(error instanceof BackupProblem)) throw error;
    throw new CommandFailure(
      `${file === STREAM ? 'The backup' : file} cannot be restored, and nothing was changed. ${error.message}`,
    );
  } finally {
    showProgress('');
  }
}

/** Under another key the service would not start on the data, so there is no use in restoring it. */
function assertKey({ secretsKey }: BackupHeader, fingerprints: string[] | undefined): void {
  if (secretsKey === null || fingerprints?.includes(secretsKey)) return;
  const wanted = `Its secrets are encrypted with the key ${keyIdOfFingerprint(secretsKey)}`;
  const [current] = fingerprints ?? [];
  throw new BackupProblem(
    current === undefined
      ? `${wanted}, and DATA_DIR has no secrets.key. Copy that of the installation which was backed up there, or set SECRETS_KEY to what is in it.`
      : `${wanted}, whereas SECRETS_KEY is the key ${keyIdOfFingerprint(current)}. Set SECRETS_KEY to that of the installation which was backed up: without it no stored secret opens and no API key is recognised.`,
  );
}

function leftOut({ foreignTables }: Restored): string[] {
  return foreignTables.length === 0
    ? []
    : [`Left out, because they are not tables of the service: ${foreignTables.join(', ')}.`];
}

function rowsOf({ totals }: Backup): number {
  return totals.tables.reduce((sum, { rows }) => sum + rows, 0);
}

function countOf(backup: Backup): string {
  return `${rowsOf(backup)} rows of ${backup.totals.tables.length} tables`;
}

function json(backup: Backup): object {
  const { header, totals } = backup;
  return {
    created_at: header.createdAt,
    service_version: header.service,
    migration: header.migrations.at(-1)?.name ?? null,
    secrets_key: header.secretsKey === null ? null : keyIdOfFingerprint(header.secretsKey),
    rows: rowsOf(backup),
    tables: totals.tables.map(({ name, rows, bytes }) => ({ name, rows, bytes })),
  };
}

function sizeOf(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

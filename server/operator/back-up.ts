/** Backs everything in the database up, and restores it. */
import { stat } from 'node:fs/promises';
import { createSecretsKey } from '../lib/crypto/sealing.js';
import { Interrupted, interruptible } from '../lib/system/interrupt.js';
import { serviceVersion } from '../contract/project-files.js';
import { showProgress } from '../lib/system/terminal.js';
import { type BackupHeader, BackupProblem } from '../store/backup/format.js';
import { verifyBackup } from '../store/backup/read-backup.js';
import { type Restored, restoreBackup } from '../store/backup/restore-backup.js';
import { type Backup, writeBackup } from '../store/backup/write-backup.js';
import { keyIdOfFingerprint } from '../store/installation/secrets-keys.js';
import { assertWritable, readBackupFile, STREAM, writeBackupFile } from './backup-file.js';
import type { Installation } from './context.js';
import { exitCodeOf } from './exit-codes.js';
import { CommandFailure } from './failure.js';

export async function backUp(
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
        ? new CommandFailure('Interrupted; nothing of the backup was kept.', [], exitCodeOf(error))
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

export async function restore(
  { config: load, databaseKeys, openNewPostgres, outputBeside }: Installation,
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
    const postgres = await openNewPostgres(config);
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

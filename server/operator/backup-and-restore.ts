/** Writes a backup of the database to a file, and restores a database from one. */
import { stat } from 'node:fs/promises';
import { createSecretsKey } from '../lib/crypto/sealing.js';
import { Interrupted, interruptible } from '../lib/system/interrupt.js';
import { serviceVersion } from '../contract/project-files.js';
import { showProgress } from '../lib/system/terminal.js';
import { type BackupHeader, BackupProblem } from '../backup/format.js';
import { verifyBackup } from '../backup/read-backup.js';
import { type Restored, restoreBackup } from '../backup/restore-backup.js';
import { type Backup, writeBackup } from '../backup/write-backup.js';
import { keyIdOfFingerprint } from '../installation/secrets-keys.js';
import { assertWritable, readBackupFile, STANDARD_STREAM, writeBackupFile } from './backup-file.js';
import type { Installation } from './context.js';
import { exitCodeOf } from './exit-codes.js';
import { CommandFailure } from './failure.js';

export async function backUp(
  { databaseConfig, openPostgres, output, outputToStderr }: Installation,
  file: string,
  options: { force: boolean },
): Promise<void> {
  await assertWritable(file, options);
  const postgres = await openPostgres(databaseConfig());
  try {
    const backup = await interruptible((signal) =>
      writeBackupFile(file, (destination) =>
        writeBackup(
          {
            ...postgres.direct,
            service: serviceVersion,
            signal,
            onProgress: ({ table, bytes }) => {
              showProgress(`${formatSize(bytes)} read, ${table}`);
            },
          },
          destination,
        ),
      ),
    ).catch((error: unknown) => {
      throw error instanceof Interrupted
        ? new CommandFailure('Interrupted; no backup was written.', [], exitCodeOf(error))
        : error;
    });
    showProgress('');
    const size = file === STANDARD_STREAM ? undefined : (await stat(file)).size;
    const where = size === undefined ? '' : ` to ${file}, ${formatSize(size)}`;
    const resultOutput = file === STANDARD_STREAM ? outputToStderr : output;
    resultOutput.done(
      `${describeCount(backup)} written${where}.`,
      { file: size === undefined ? null : file, bytes: size ?? null, ...json(backup) },
      keyAdvice(backup.header),
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
        `Restoring it requires the SECRETS_KEY with the id ${keyIdOfFingerprint(secretsKey)}, which it does not contain. Keep that key elsewhere.`,
      ];
}

export async function restore(
  { config: load, databaseKeys, openNewPostgres, output }: Installation,
  file: string,
): Promise<void> {
  const config = load();
  const source = await readBackupFile(file);
  const keys = await databaseKeys(config);
  const fingerprints = keys?.map((key) => createSecretsKey(key).fingerprint);
  const assertUsable = (header: BackupHeader) => {
    assertSameSecretsKey(header, fingerprints);
  };
  try {
    if (source.isRepeatable) {
      // Verify the whole file before writing anything to PostgreSQL.
      const header = await verifyBackup(source.open(), (bytes) => {
        showProgress(`${formatSize(bytes)} checked`);
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
            showProgress(`${formatSize(bytes)} restored, ${table}`);
          },
        },
        source.open(),
      );
      showProgress('');
      output.done(
        `${describeCount(restored)} restored, as of ${restored.header.createdAt}. Start the service.`,
        {
          ...json(restored),
          left_out: [...restored.foreignTables, ...restored.foreignColumns],
        },
        leftOut(restored),
      );
    } finally {
      await postgres.stop();
    }
  } catch (error) {
    if (!(error instanceof BackupProblem)) throw error;
    throw new CommandFailure(
      `${file === STANDARD_STREAM ? 'The backup' : file} cannot be restored, and nothing was changed. ${error.message}`,
    );
  } finally {
    showProgress('');
  }
}

/** The service would not start on data that was encrypted with another key. */
function assertSameSecretsKey(
  { secretsKey }: BackupHeader,
  fingerprints: string[] | undefined,
): void {
  if (secretsKey === null || fingerprints?.includes(secretsKey)) return;
  const wanted = `Its secrets are encrypted with the key ${keyIdOfFingerprint(secretsKey)}`;
  const [current] = fingerprints ?? [];
  throw new BackupProblem(
    current === undefined
      ? `${wanted}, but DATA_DIR has no secrets.key. Copy the secrets.key of the original installation there, or set SECRETS_KEY to its content.`
      : `${wanted}, but SECRETS_KEY is the key ${keyIdOfFingerprint(current)}. Set SECRETS_KEY to the key of the original installation: without it, stored secrets cannot be decrypted and API keys are not recognised.`,
  );
}

function leftOut({ isNewer, foreignTables, foreignColumns }: Restored): string[] {
  const names = [...foreignTables, ...foreignColumns].join(', ');
  if (names === '') return [];
  return isNewer
    ? [`Left out what only a newer release has: ${names}. To keep it, restore with that release.`]
    : [`Skipped tables that do not belong to the service: ${names}.`];
}

function countRows({ totals }: Backup): number {
  return totals.tables.reduce((sum, { rows }) => sum + rows, 0);
}

function describeCount(backup: Backup): string {
  return `${countRows(backup)} rows of ${backup.totals.tables.length} tables`;
}

function json(backup: Backup): object {
  const { header, totals } = backup;
  return {
    created_at: header.createdAt,
    service_version: header.service,
    migration: header.migrations.at(-1)?.name ?? null,
    secrets_key: header.secretsKey === null ? null : keyIdOfFingerprint(header.secretsKey),
    rows: countRows(backup),
    tables: totals.tables.map(({ name, rows, bytes }) => ({ name, rows, bytes })),
  };
}

function formatSize(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** `operator backup` and `operator restore`: the whole database in one file. */
import type { Command } from 'commander';
import { backUp, restore } from './backup-and-restore.js';
import type { RunWithoutDatabase } from './context.js';

const secretsKeyHelp = `
A backup contains the whole database, but not SECRETS_KEY, certificates, the price table or the environment. Webhook secrets,
authenticators, stored responses and streams in it are encrypted with SECRETS_KEY, and API keys are not recognised without it. Keep
that key (or DATA_DIR/secrets.key) apart from the backups. Messages, memory and logs are not encrypted.`;

export function addBackupCommands(operator: Command, run: RunWithoutDatabase): void {
  operator
    .command('backup')
    .description('write everything in the database to a file, while the service runs')
    .argument('<file>', 'the file, or - for standard output')
    .option('--force', 'replace the file if it exists', false)
    .addHelpText(
      'after',
      `${secretsKeyHelp}\n
The backup is a consistent snapshot. The command needs DATABASE_URL or DATA_DIR, but not SECRETS_KEY.`,
    )
    .action((file: string, options: { force: boolean }) =>
      run((installation) => backUp(installation, file, options)),
    );

  operator
    .command('restore')
    .description('fill an empty database from a backup')
    .argument('<file>', 'the backup file, or - for standard input')
    .addHelpText(
      'after',
      `${secretsKeyHelp}\n
The database must be empty: a new one in DATABASE_URL, or a new DATA_DIR with the secrets.key of the old one. Either everything is
restored or nothing. A backup from an earlier release is migrated to this one. Pending deliveries and asynchronous invocations
continue when the service starts; to only inspect a copy, start it with WORKER=off and ASYNC_CONCURRENCY=0.`,
    )
    .action((file: string) => run((installation) => restore(installation, file)));
}

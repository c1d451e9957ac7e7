/** `operator backup` and `operator restore`: everything in the database, in one file. */
import type { Command } from 'commander';
import type { RunApart } from './context.js';

const aboutTheKey = `
A backup has everything that is in the database, and nothing else: neither SECRETS_KEY, nor the files of certificates and prices, nor
the environment. Its webhook secrets, authenticators, stored responses and streams are encrypted with SECRETS_KEY, and API keys cannot be
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
      run(async (installation) => {
        const { backUp } = await import('./back-up.js');
        await backUp(installation, file, options);
      }),
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
    .action((file: string) =>
      run(async (installation) => {
        const { restore } = await import('./back-up.js');
        await restore(installation, file);
      }),
    );
}

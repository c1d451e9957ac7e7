/** `operator migrate`: brings the tables to this release before its first instance starts. */
import type { Command } from 'commander';
import type { RunApart } from './context.js';

export function addMigrateCommand(operator: Command, run: RunApart): void {
  operator
    .command('migrate')
    .description('apply the migrations of this release, as its first start would')
    .addHelpText(
      'after',
      `
It needs DATABASE_URL or DATA_DIR, and not SECRETS_KEY. Instances of the version before go on running meanwhile.`,
    )
    .action(() =>
      run(async ({ databaseConfig, openPostgres, outputBeside }) => {
        const { migrate } = await import('../store/postgres/migrations/migrate.js');
        const postgres = await openPostgres(databaseConfig());
        try {
          const applied = await migrate(postgres.direct);
          const lines = applied.map((name) => `Applied ${name}.`);
          outputBeside(false).done([...lines, 'The database is up to date.'], { applied });
        } finally {
          await postgres.stop();
        }
      }),
    );
}

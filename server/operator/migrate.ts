/** `operator migrate`: applies the migrations of this release before its first instance starts. */
import type { Command } from 'commander';
import type { RunWithoutDatabase } from './context.js';

export function addMigrateCommand(operator: Command, run: RunWithoutDatabase): void {
  operator
    .command('migrate')
    .description('apply the migrations of this release, as its first start would')
    .addHelpText(
      'after',
      `
It needs DATABASE_URL or DATA_DIR, but not SECRETS_KEY. Instances of the previous release can keep running.`,
    )
    .action(() =>
      run(async ({ databaseConfig, openPostgres, output }) => {
        const { migrate } = await import('../store/postgres/migrations/migrate.js');
        const postgres = await openPostgres(databaseConfig());
        try {
          const applied = await migrate(postgres.direct);
          const lines = applied.map((name) => `Applied ${name}.`);
          output.done([...lines, 'The database is up to date.'], { applied });
        } finally {
          await postgres.stop();
        }
      }),
    );
}

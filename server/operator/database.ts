/** `operator database`: distributes the tables over a Citus cluster. */
import type { Command } from 'commander';
import { showProgress } from '../lib/system/terminal.js';
import { distribute } from '../postgres/distribute.sql.js';
import { migrate } from '../postgres/migrations/migrate.js';
import type { RunWithoutDatabase } from './context.js';

export function addDatabaseCommands(operator: Command, run: RunWithoutDatabase): void {
  const database = operator
    .command('database')
    .description('the distribution of tables over servers');
  database
    .command('distribute')
    .description('spread the tables over the servers of a Citus cluster, by account')
    .addHelpText(
      'after',
      `
DATABASE_URL must name the coordinator, whose database has the citus extension and knows its workers. Stop the service first: the
rows move to the workers. Tables that are already distributed are skipped, so the command can be repeated after an interruption.
See docs/scaling.md for the whole procedure.`,
    )
    .action(() =>
      run(async ({ databaseConfig, openPostgres, output }) => {
        const postgres = await openPostgres(databaseConfig());
        try {
          await migrate(postgres.direct);
          const tables = await distribute({
            ...postgres.direct,
            onProgress: (table, done, total) => {
              showProgress(`${done} of ${total} tables, ${table}`);
            },
          });
          showProgress('');
          const text =
            tables.length === 0
              ? 'All tables are already distributed.'
              : `${tables.length} tables are distributed. Start the service.`;
          output.done(text, { distributed: tables });
        } finally {
          showProgress('');
          await postgres.stop();
        }
      }),
    );
}

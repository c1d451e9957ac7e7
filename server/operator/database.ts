/** `operator database`: where the tables are. */
import type { Command } from 'commander';
import { showProgress } from '../lib/system/terminal.js';
import type { RunApart } from './context.js';

export function addDatabaseCommands(operator: Command, run: RunApart): Command {
  const database = operator.command('database').description('where the tables are');
  database
    .command('distribute')
    .description('spread the tables over the servers of a Citus cluster, by account')
    .addHelpText(
      'after',
      `
DATABASE_URL is that of the coordinator, whose database has the extension citus and knows its workers. The service must be stopped
meanwhile: the rows move to the workers. What is distributed already stays as it is, so that it can be repeated after an
interruption. docs/scaling.md describes the whole way.`,
    )
    .action(() =>
      run(async ({ databaseConfig, openPostgres, outputBeside }) => {
        const { migrate } = await import('../store/postgres/migrations/migrate.js');
        const { distribute } = await import('../store/postgres/distribute.sql.js');
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
              ? 'All tables are distributed already.'
              : `${tables.length} tables are distributed. Start the service.`;
          outputBeside(false).done(text, { distributed: tables });
        } finally {
          showProgress('');
          await postgres.stop();
        }
      }),
    );
  return database;
}

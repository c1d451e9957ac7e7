/** `operator migrate`: applies the migrations of this release before its first instance starts. */
import type { Command } from 'commander';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import { migrate } from '../postgres/migrations/migrate.js';
import type { RunWithoutDatabase } from './context.js';
import { CommandFailure } from './failure.js';

export function addMigrateCommand(operator: Command, run: RunWithoutDatabase): void {
  operator
    .command('migrate')
    .description('apply the migrations of this release, as its first start would')
    .option('--yes', 'also if instances older than the previous release are running', false)
    .addHelpText(
      'after',
      `
It needs DATABASE_URL or DATA_DIR, but not SECRETS_KEY. Instances of the previous release can keep running. Older ones may fail
on the new tables, so the command refuses to continue while some are running, unless you pass --yes.`,
    )
    .action(({ yes }: { yes: boolean }) =>
      run(async ({ databaseConfig, openPostgres, output }) => {
        const postgres = await openPostgres(databaseConfig());
        try {
          const warnings: string[] = [];
          const onOldInstances = (message: string) => {
            if (!yes) throw refusal(message);
            warnings.push(message);
          };
          const applied = await migrate({ ...postgres.direct, onOldInstances });
          const lines = applied.map((name) => `Applied ${name}.`);
          output.done([...lines, 'The database is up to date.'], { applied, warnings }, warnings);
        } finally {
          await postgres.stop();
        }
      }),
    );
}

function refusal(message: string): CommandFailure {
  return new CommandFailure(
    `${message} Nothing was changed; --yes migrates nevertheless.`,
    [],
    exitCodes.conflict,
  );
}

/** `operator deletions`: lists deleted data whose rows are still being removed in the background. */
import type { Command } from 'commander';
import { listPurges, type Purge } from '../postgres/retention/purges.js';
import type { Run } from './context.js';
import { dateColumn } from './output.js';

export function addDeletionCommands(deletions: Command, run: Run): void {
  deletions
    .command('list')
    .description('list unfinished deletions of all accounts, oldest first')
    .action(() =>
      run(async ({ database, output }) => {
        output.table(
          await listPurges(database),
          [
            { title: 'name', value: ({ name }) => name },
            { title: 'id', value: ({ ownerId }) => ownerId, neverTruncate: true },
            { title: 'rows', value: ({ table }) => table },
            { title: 'removed', value: ({ deletedRows }) => String(deletedRows) },
            dateColumn('since', ({ createdAt }) => createdAt),
          ],
          json,
        );
      }),
    );
}

const json = ({ name, ownerId, accountId, table, deletedRows, createdAt }: Purge) => ({
  id: ownerId,
  name,
  account_id: accountId,
  table,
  removed_rows: deletedRows,
  since: createdAt.toISOString(),
});

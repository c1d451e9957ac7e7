/** Tells the administrator which statements to run if the service's user lacks rights that migrations need. */
import type pg from 'pg';
import { DatabaseProblem } from './connection-problem.js';
import { missingGrants, readRights } from './server-check.sql.js';

/** Throws a DatabaseProblem that contains the statements. */
export async function assertMayMigrate(client: pg.Client): Promise<void> {
  const rights = await readRights(client);
  if (!rights) return;
  const { user, database, unavailableExtensions } = rights;
  if (unavailableExtensions.length > 0) {
    throw new DatabaseProblem(
      `The server of the database ${database} does not have the extensions ${unavailableExtensions.join(' and ')}. ` +
        "Install PostgreSQL's additional modules there (the package postgresql-contrib), and start again.",
    );
  }
  const grants = missingGrants(rights);
  if (grants.length === 0) return;
  throw new DatabaseProblem(
    [
      `The user ${user} lacks rights in the database ${database}. An administrator must run there:`,
      ...grants.map((statement) => `  ${statement}`),
      'Then start again.',
    ].join('\n'),
  );
}

/**
 * Tells the administrator which statements to run if the service's user lacks rights that migrations need.
 * Why SQL: Prisma does not read system views.
 */
import pg from 'pg';
import { DatabaseProblem } from '../connection-problem.js';

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

/** The rights of the connection's user, and the extensions that migrations need. */
interface Rights {
  user: string;
  database: string;
  /** Whether the schema public exists, which contains the tables. */
  hasSchema: boolean;
  mayCreateTables: boolean;
  mayCreateExtensions: boolean;
  /** Extensions that migrations create and that the database does not have yet. */
  missingExtensions: string[];
  /** Missing extensions that the server does not offer. */
  unavailableExtensions: string[];
}

const extensions = ['pg_trgm', 'btree_gin'];

async function readRights(client: pg.Client): Promise<Rights | undefined> {
  const { rows } = await client.query<Rights>(
    `SELECT current_user AS "user", current_database() AS "database",
            to_regnamespace('public') IS NOT NULL AS "hasSchema",
            coalesce(has_schema_privilege(to_regnamespace('public')::oid, 'CREATE'), false) AS "mayCreateTables",
            has_database_privilege(current_database(), 'CREATE') AS "mayCreateExtensions",
            ARRAY(SELECT unnest($1::text[]) EXCEPT SELECT extname::text FROM pg_extension) AS "missingExtensions",
            ARRAY(SELECT unnest($1::text[]) EXCEPT SELECT extname::text FROM pg_extension
                  EXCEPT SELECT name::text FROM pg_available_extensions) AS "unavailableExtensions"`,
    [extensions],
  );
  return rows[0];
}

/** Returns the statements that an administrator must run in the database so that the user may migrate it. */
function missingGrants(rights: Rights): string[] {
  const { user, hasSchema, mayCreateTables, mayCreateExtensions, missingExtensions } = rights;
  const role = pg.escapeIdentifier(user);
  return [
    ...(hasSchema ? [] : [`CREATE SCHEMA public AUTHORIZATION ${role};`]),
    ...(mayCreateExtensions ? [] : missingExtensions).map(
      (name) => `CREATE EXTENSION ${name} SCHEMA public;`,
    ),
    ...(hasSchema && !mayCreateTables ? [`GRANT USAGE, CREATE ON SCHEMA public TO ${role};`] : []),
  ];
}

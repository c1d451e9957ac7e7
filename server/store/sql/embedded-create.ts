/**
 * Makes the role and the database of the service in an embedded cluster.
 * Why SQL: they must be there before Prisma can connect, and it creates no roles.
 */
import pg from 'pg';

/** The database has the name of the role. Does nothing if it is there. */
export async function createRoleAndDatabase(
  client: pg.Client,
  role: string,
  password: string,
): Promise<void> {
  const database = await client.query('SELECT FROM pg_database WHERE datname = $1', [role]);
  if (database.rowCount === 1) return;
  const known = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  if (known.rowCount === 0) {
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
  }
  await client.query(`CREATE DATABASE ${role} OWNER ${role}`);
}

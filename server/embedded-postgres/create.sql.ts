/**
 * Creates the service's role and database in an embedded cluster.
 * Why SQL: both must exist before Prisma can connect, and Prisma does not create roles.
 */
import pg from 'pg';

/** The database has the name of the role. Does nothing if it exists. */
export async function createRoleAndDatabase(
  client: pg.Client,
  role: string,
  password: string,
): Promise<void> {
  const database = await client.query('SELECT FROM pg_database WHERE datname = $1', [role]);
  if (database.rowCount === 1) return;
  const existing = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  if (existing.rowCount === 0) {
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
  }
  await client.query(`CREATE DATABASE ${role} OWNER ${role}`);
}

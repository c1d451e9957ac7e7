/**
 * Switches the extension pgvector on.
 * Why SQL: Prisma's client neither lists nor creates extensions.
 */
import type { Queryable, Statement } from '../connection.js';

/** Whether pgvector can be used here; it is switched on where the server has it and the role may do so. */
export async function usePgvector(database: Queryable): Promise<boolean> {
  const known = await database.run(findPgvector, []);
  if (known.length === 0) return false;
  try {
    await database.run(createPgvector, []);
    return true;
  } catch {
    // Plain SQL does the same, only slower.
    return false;
  }
}

const findPgvector: Statement = {
  name: 'pgvector_find',
  text: `SELECT name FROM pg_available_extensions WHERE name = 'vector'`,
};

const createPgvector: Statement = {
  name: 'pgvector_create',
  text: 'CREATE EXTENSION IF NOT EXISTS vector',
};

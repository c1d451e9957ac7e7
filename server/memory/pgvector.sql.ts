/**
 * Enables the pgvector extension.
 * Why SQL: Prisma's client neither lists nor creates extensions.
 */
import type { Queryable, Statement } from '../postgres/connection.js';

/** Enables pgvector if the server provides it and the role may create it. Returns whether it can be used. */
export async function usePgvector(database: Queryable): Promise<boolean> {
  const available = await database.run(findPgvector, []);
  if (available.length === 0) return false;
  try {
    await database.run(createPgvector, []);
    return true;
  } catch {
    // Searches then use plain SQL, which is slower.
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

/** Changes of which the instances hear nothing, as when their connection for notifications is lost. */
import type { OpenDatabase } from './database.js';

/** Runs the work while no change to the table is announced. */
export async function whileUnannounced<Result>(
  { pool }: OpenDatabase,
  table: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await pool.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  try {
    return await work();
  } finally {
    await pool.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  }
}

/** Searches the whole database for a text. */
import type { OpenDatabase } from './database.js';
import { tablesOf } from './database-state.js';

/** The tables that contain it in any column of any row. */
export async function tablesContaining({ pool }: OpenDatabase, text: string): Promise<string[]> {
  const tables = await tablesOf({ pool });
  const found = await Promise.all(
    tables.map(async (name) => {
      const statement = `SELECT FROM "${name}" AS t WHERE position($1 IN lower(t::text)) > 0 LIMIT 1`;
      const { rowCount } = await pool.query(statement, [text.toLowerCase()]);
      // Bytes are printed in hexadecimal.
      const hex = await pool.query(statement, [Buffer.from(text).toString('hex')]);
      return rowCount === 0 && hex.rowCount === 0 ? [] : [name];
    }),
  );
  return found.flat();
}

/** Makes a table fail, as with a full disk. */
import type { OpenDatabase } from './database.js';

export interface TableFault {
  /** The SQLSTATE. */
  code: string;
  /** Whether the writing statement fails, or the commit of its transaction. */
  at?: 'statement' | 'commit';
  /** Defaults to inserts and updates. */
  on?: 'INSERT OR UPDATE' | 'DELETE';
}

/** Runs the work while each such statement on the table fails. */
export async function whileFailing<Result>(
  { pool }: OpenDatabase,
  table: string,
  { code, at = 'statement', on = 'INSERT OR UPDATE' }: TableFault,
  work: () => Promise<Result>,
): Promise<Result> {
  const [constraint, timing] =
    at === 'commit' ? ['CONSTRAINT', 'DEFERRABLE INITIALLY DEFERRED'] : ['', ''];
  await pool.query(`
    CREATE FUNCTION fail_on_purpose() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION 'failed on purpose' USING ERRCODE = '${code}'; END$$;
    CREATE ${constraint} TRIGGER fail_on_purpose AFTER ${on} ON ${table} ${timing}
    FOR EACH ROW EXECUTE FUNCTION fail_on_purpose()`);
  try {
    return await work();
  } finally {
    await pool.query('DROP FUNCTION fail_on_purpose CASCADE');
  }
}

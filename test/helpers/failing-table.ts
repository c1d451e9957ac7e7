/** Tables that fail as a database in trouble does, as with a full disk. */
import type { OpenDatabase } from './database.js';

export interface TableFault {
  /** The SQLSTATE. */
  code: string;
  /** What fails: the statement that writes, or the commit of its transaction. */
  at?: 'statement' | 'commit';
}

/** Runs the work while each insert and update of the table fails. */
export async function whileFailing<Result>(
  { pool }: OpenDatabase,
  table: string,
  { code, at = 'statement' }: TableFault,
  work: () => Promise<Result>,
): Promise<Result> {
  const [constraint, timing] =
    at === 'commit' ? ['CONSTRAINT', 'DEFERRABLE INITIALLY DEFERRED'] : ['', ''];
  await pool.query(`
    CREATE FUNCTION fail_on_purpose() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION 'failed on purpose' USING ERRCODE = '${code}'; END$$;
    CREATE ${constraint} TRIGGER fail_on_purpose AFTER INSERT OR UPDATE ON ${table} ${timing}
    FOR EACH ROW EXECUTE FUNCTION fail_on_purpose()`);
  try {
    return await work();
  } finally {
    await pool.query('DROP FUNCTION fail_on_purpose CASCADE');
  }
}

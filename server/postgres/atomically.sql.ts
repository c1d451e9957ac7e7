/**
 * Runs prepared statements in one transaction.
 * Why SQL: Prisma's transactions do not prepare statements, and a large statement takes longer to plan than to run.
 */
import type pg from 'pg';

export async function atomically<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((cause: unknown) => {
      failure = new Error('The transaction could not be rolled back.', { cause });
    });
    throw error;
  } finally {
    // Closes a connection that cannot roll back.
    client.release(failure);
  }
}

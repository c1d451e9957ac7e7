/**
 * Access to PostgreSQL: Prisma's models, and the statements of `*.sql.ts`. The functions of the nouns take a connection, so that a call
 * looks the same inside and outside of a transaction. What is above the nouns only passes it on.
 *
 * A write through Prisma must not return an enum (use `select: { id: true }`): Prisma casts it to text, which Citus rejects there.
 */
import pg from 'pg';
import type { Prisma } from '../../generated/prisma/client.js';
import { isConflict, isStoreUnavailable, StoreUnavailable } from './errors.js';

/** A named prepared statement, which PostgreSQL parses once per connection. Different texts must have different names. */
export interface Statement {
  name: string;
  text: string;
}

export interface Queryable {
  run<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
}

export interface Connection extends Queryable {
  readonly prisma: Prisma.TransactionClient;
  /** Runs prepared statements as one transaction. Inside a transaction, uses the current one. */
  atomically<Result>(work: (queryable: Queryable) => Promise<Result>): Promise<Result>;
}

/** All changes made through it commit or roll back together; row locks are held until then. */
export interface Transaction extends Connection {
  readonly isTransaction: true;
}

/** `pooled`: do not use named statements, because a pooler may run each transaction in another session. */
export function queryableOn(
  pool: pg.Pool,
  { pooled }: { pooled: boolean },
): Pick<Connection, 'run' | 'atomically'> {
  // Observers use the label, because statements have no names behind a pooler.
  const named = ({ name, text }: Statement) =>
    pooled ? { label: name, text } : { label: name, name, text };
  return {
    run: <Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) =>
      translateErrors(async () => (await pool.query<Row>(toQuery(named(statement), values))).rows),
    atomically: (work) =>
      translateErrors(() =>
        atomically(pool, (client) =>
          work({
            run: async <Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) =>
              (await client.query<Row>({ ...named(statement), values })).rows,
          }),
        ),
      ),
  };
}

/** In one transaction. Prisma's do not prepare statements, and a large statement takes longer to plan than to run. */
async function atomically<Result>(
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

async function translateErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await retryOnConflict(work);
  } catch (cause) {
    if (cause instanceof StoreUnavailable || !isStoreUnavailable(cause)) throw cause;
    throw new StoreUnavailable('The database is unavailable.', { cause });
  }
}

const maxAttempts = 3;

/** Repeats a transaction that PostgreSQL rolled back in favour of another one, such as in a deadlock with a migration. */
export async function retryOnConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === maxAttempts || !isConflict(error)) throw error;
    }
  }
}

/** Creates the query directly: pg would first copy the configuration by its property descriptors, which takes ten times as long. */
function toQuery(
  statement: Partial<Statement> & { text: string },
  values: unknown[],
): pg.QueryConfig {
  return Object.assign(new pg.Query(statement.text, values), statement);
}

export function transactionOn(prisma: Prisma.TransactionClient): Transaction {
  const run: Queryable['run'] = <Row extends pg.QueryResultRow>(
    { text }: Statement,
    values: unknown[],
  ) => prisma.$queryRawUnsafe<Row[]>(text, ...values);
  return { isTransaction: true, prisma, run, atomically: (work) => work({ run }) };
}

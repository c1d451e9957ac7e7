/**
 * The store's access to PostgreSQL: Prisma's models, and the hand-written statements of `sql/`. Store functions take a
 * connection, so that a call looks the same inside and outside of a transaction. To the rest of the server a connection
 * is opaque.
 *
 * A write through Prisma must not return an enum (`select: { id: true }`): Prisma casts it to text, which Citus does not take there.
 */
import pg from 'pg';
import type { Prisma } from '../../../generated/prisma/client.js';
import { atomically } from './atomically.sql.js';
import { isConflict, isStoreUnavailable, StoreUnavailable } from './errors.js';

/** A named prepared statement, which PostgreSQL parses once per connection; the name must be unique to the text. */
export interface Statement {
  name: string;
  text: string;
}

export interface Queryable {
  run<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
}

export interface Connection extends Queryable {
  readonly prisma: Prisma.TransactionClient;
  /** Runs prepared statements as one transaction, which is this one if it is in a transaction already. */
  atomically<Result>(work: (queryable: Queryable) => Promise<Result>): Promise<Result>;
}

/** All changes made through it commit or roll back together; row locks are held until then. */
export interface Transaction extends Connection {
  readonly isTransaction: true;
}

/** `pooled`: do not use named statements. A pooler may run each transaction in another session, without them. */
export function queryableOn(
  pool: pg.Pool,
  { pooled }: { pooled: boolean },
): Pick<Connection, 'run' | 'atomically'> {
  // The label is for who observes statements: through a pooler they have no names.
  const named = ({ name, text }: Statement) =>
    pooled ? { label: name, text } : { label: name, name, text };
  return {
    run: <Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) =>
      explained(async () => (await pool.query<Row>(queryOf(named(statement), values))).rows),
    atomically: (work) =>
      explained(() =>
        atomically(pool, (client) =>
          work({
            run: async <Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]) =>
              (await client.query<Row>({ ...named(statement), values })).rows,
          }),
        ),
      ),
  };
}

async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await retryingConflicts(work);
  } catch (cause) {
    if (cause instanceof StoreUnavailable || !isStoreUnavailable(cause)) throw cause;
    throw new StoreUnavailable('The database is unavailable.', { cause });
  }
}

const maxAttempts = 3;

/** Runs a transaction again that PostgreSQL undid in favour of another one, as in a deadlock with a migration. */
export async function retryingConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === maxAttempts || !isConflict(error)) throw error;
    }
  }
}

/** What pg makes of a configuration itself, though it first copies that by its property descriptors, which takes ten times as long. */
function queryOf(
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

/**
 * The store's access to PostgreSQL: Prisma's models, and the hand-written statements of `sql/`. Store functions take a
 * connection, so that a call looks the same inside and outside of a transaction. To the rest of the server a connection
 * is opaque.
 */
import pg from 'pg';
import type { Prisma } from '../../../generated/prisma/client.js';
import { isStoreUnavailable, StoreUnavailable } from './errors.js';

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
}

/** All changes made through it commit or roll back together; row locks are held until then. */
export interface Transaction extends Connection {
  readonly isTransaction: true;
}

/** `pooled`: do not use named statements. A pooler may run each transaction in another session, without them. */
export function queryableOn(pool: pg.Pool, { pooled }: { pooled: boolean }): Queryable {
  return {
    async run<Row extends pg.QueryResultRow>({ name, text }: Statement, values: unknown[]) {
      try {
        const { rows } = await pool.query<Row>(queryOf(pooled ? { text } : { name, text }, values));
        return rows;
      } catch (cause) {
        if (!isStoreUnavailable(cause)) throw cause;
        throw new StoreUnavailable('The database is unavailable.', { cause });
      }
    },
  };
}

/** What pg makes of a configuration itself, though it first copies that by its property descriptors, which takes ten times as long. */
function queryOf(
  statement: Partial<Statement> & { text: string },
  values: unknown[],
): pg.QueryConfig {
  return Object.assign(new pg.Query(statement.text, values), statement);
}

export function transactionOn(prisma: Prisma.TransactionClient): Transaction {
  return {
    isTransaction: true,
    prisma,
    run: <Row extends pg.QueryResultRow>({ text }: Statement, values: unknown[]) =>
      prisma.$queryRawUnsafe<Row[]>(text, ...values),
  };
}

/**
 * How the store speaks to PostgreSQL: through Prisma's models, and through the hand-written statements of `sql/`. A store
 * function takes a connection, so that a call looks the same inside and outside of a transaction. The rest of the server
 * passes connections on and looks into none of them.
 */
import type pg from 'pg';
import type { Prisma } from '../../generated/prisma/client.js';
import { isStoreUnavailable, StoreUnavailable } from './errors.js';

/** The name lets PostgreSQL parse and plan it once per connection; it must be unique to the text. */
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

/** What an effect makes its changes through; all of them are kept, or none. Row locks last until it ends. */
export interface Transaction extends Connection {
  readonly isTransaction: true;
}

/** A pooler in front of PostgreSQL gives each transaction another session, in which names are not known. */
export function queryableOn(pool: pg.Pool, { pooled }: { pooled: boolean }): Queryable {
  return {
    async run<Row extends pg.QueryResultRow>({ name, text }: Statement, values: unknown[]) {
      try {
        const query = pooled ? { text, values } : { name, text, values };
        return (await pool.query<Row>(query)).rows;
      } catch (cause) {
        if (!isStoreUnavailable(cause)) throw cause;
        throw new StoreUnavailable('The database cannot be asked at the moment.', { cause });
      }
    },
  };
}

export function transactionOn(prisma: Prisma.TransactionClient): Transaction {
  return {
    isTransaction: true,
    prisma,
    run: <Row extends pg.QueryResultRow>({ text }: Statement, values: unknown[]) =>
      prisma.$queryRawUnsafe<Row[]>(text, ...values),
  };
}

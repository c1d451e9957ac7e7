/** Hand-written SQL for the few statements where Prisma would cost too much, on the pool that Prisma uses as well. */
import type pg from 'pg';
import { isStoreUnavailable, StoreUnavailable } from './errors.js';

/** The name lets PostgreSQL parse and plan it once per connection; it must be unique to the text. */
export interface Statement {
  name: string;
  text: string;
}

export interface Sql {
  run<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
}

/** Gives a value its place in a statement, and returns that: `$3`. */
export type Bind = (value: unknown) => string;

/** Collects the values of a statement that is put together from parts. */
export function parameters(): { values: unknown[]; bind: Bind } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

/** A pooler in front of PostgreSQL gives each transaction another session, in which names are not known. */
export function createSql(pool: pg.Pool, { pooled }: { pooled: boolean }): Sql {
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

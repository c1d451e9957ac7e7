/** The statements that the service sends to PostgreSQL, whoever wrote them: Prisma or a person. */
import pg from 'pg';
import type { Queryable } from '../../server/store/connection.js';

export interface SentStatement {
  text: string;
  values: unknown[];
}

/** Runs the work, which may look at what was sent so far, and returns all that this worker's services sent meanwhile. */
export async function recordStatements(
  work: (sent: readonly SentStatement[]) => Promise<unknown>,
): Promise<SentStatement[]> {
  const { prototype } = pg.Client;
  const query = Reflect.get(prototype, 'query') as (...parameters: unknown[]) => unknown;
  const sent: SentStatement[] = [];
  Reflect.set(prototype, 'query', function (this: pg.Client, ...parameters: unknown[]) {
    const [statement, given] = parameters;
    const { text, values = given } =
      typeof statement === 'string'
        ? { text: statement }
        : (statement as { text: string; values?: unknown });
    sent.push({ text, values: Array.isArray(values) ? values : [] });
    return query.apply(this, parameters);
  });
  try {
    await work(sent);
  } finally {
    Reflect.set(prototype, 'query', query);
  }
  return sent;
}

/** The same database, and the names of the hand-written statements that were sent through it. */
export function observed<Opened extends Queryable>(
  database: Opened,
): { database: Opened; sent: string[] } {
  const sent: string[] = [];
  const run: Queryable['run'] = (statement, values) => {
    sent.push(statement.name);
    return database.run(statement, values);
  };
  return { database: { ...database, run }, sent };
}

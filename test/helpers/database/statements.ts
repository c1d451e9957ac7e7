/** Records the statements that the service sends to PostgreSQL, both from Prisma and hand-written. */
import pg from 'pg';

export interface SentStatement {
  text: string;
  values: unknown[];
}

/** Runs the work, and returns all statements that services in this process sent meanwhile. The work can read them too. */
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

/** The statements that the service sends to PostgreSQL, whoever wrote them: Prisma or a person. */
import pg from 'pg';

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

/** One connection to PostgreSQL itself, past any pooler, for work that needs a session of its own. */
import { PostgresClient } from './client.js';
import { explainConnectionFailure } from './connection-problem.js';

export interface DirectConnection {
  /** Must connect to PostgreSQL directly. */
  url: string;
  /** The environment variable that holds the URL, for messages. */
  variable?: string;
  connectTimeoutMs?: number;
}

/** How the sessions of that work are called in pg_stat_activity. */
export function sessionName(work: string): string {
  return `agent-hosting-service ${work}`;
}

/** Throws a DatabaseProblem that says how to fix it. */
export async function connectDirectly({
  url,
  variable = 'DATABASE_URL',
  connectTimeoutMs = 5_000,
  name,
}: DirectConnection & { name: string }): Promise<PostgresClient> {
  const client = new PostgresClient({
    connectionString: url,
    application_name: sessionName(name),
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  });
  await client.connect().catch(async (cause: unknown) => {
    await client.end();
    throw explainConnectionFailure(url, variable, cause);
  });
  return client;
}

/** A direct connection to PostgreSQL, not through a pooler, for work that needs its own session. */
import { PostgresClient } from '../lib/net/postgres-client.js';
import { DatabaseProblem, explainConnectionFailure, poolerAdvice } from './connection-problem.js';
import { readBackend } from './server-check.sql.js';

export interface DirectConnection {
  /** Must connect to PostgreSQL directly: a pooler in transaction mode supports neither session locks nor LISTEN. */
  url: string;
  /** The environment variable that holds the URL, for messages. */
  variable?: string;
}

/** The application name in pg_stat_activity. */
export function applicationName(work: string): string {
  return `agent-hosting-service ${work}`;
}

/** Throws a DatabaseProblem, which says what to fix, if it cannot connect. */
export async function connectDirectly({
  url,
  variable = 'DATABASE_URL',
  name,
}: DirectConnection & { name: string }): Promise<PostgresClient> {
  const client = new PostgresClient({
    connectionString: url,
    application_name: applicationName(name),
    keepAlive: true,
  });
  await client.connect().catch(async (cause: unknown) => {
    await client.end();
    throw explainConnectionFailure(url, variable, cause);
  });
  return client;
}

/** Throws a DatabaseProblem if `client` and another connection share a session. `variable` holds their URL. */
export async function assertNotPooled(
  client: PostgresClient,
  connect: () => Promise<PostgresClient>,
  variable: string,
): Promise<void> {
  // A pooler reports a process id of its own. If the reported id is PostgreSQL's, there is no pooler.
  const reportedPid: unknown = Reflect.get(client, 'processID');
  const first = await readBackend(client);
  if (reportedPid === first) return;
  const other = await connect();
  try {
    if ((await readBackend(other)) === first) throw new DatabaseProblem(poolerAdvice(variable));
  } finally {
    await other.end();
  }
}

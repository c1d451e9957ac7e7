/** Detects a connection pooler in transaction mode, for work that needs a session. */
import { DatabaseProblem, poolerAdvice } from './connection-problem.js';
import type { PostgresClient } from '../lib/net/postgres-client.js';
import { readBackend } from './server-check.sql.js';

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

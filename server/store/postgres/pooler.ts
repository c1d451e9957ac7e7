/** Recognises a connection pooler that gives a client another session in each transaction, where one session is needed. */
import { DatabaseProblem, poolerAdvice } from './connection-problem.js';
import type { PostgresClient } from './client.js';
import { readBackend } from './server-check.sql.js';

/** Throws a DatabaseProblem if `client` and another connection share a session. `variable` holds their URL. */
export async function assertSession(
  client: PostgresClient,
  connect: () => Promise<PostgresClient>,
  variable: string,
): Promise<void> {
  // A pooler tells its clients a process of its own. Without one there is nothing more to ask.
  const told: unknown = Reflect.get(client, 'processID');
  const first = await readBackend(client);
  if (told === first) return;
  const other = await connect();
  try {
    if ((await readBackend(other)) === first) throw new DatabaseProblem(poolerAdvice(variable));
  } finally {
    await other.end();
  }
}

/** What was said in a session so far. */
import type { Session } from './session-leases.js';
import type { Sql, Statement } from './sql.js';

export interface RememberedTurn {
  role: 'user' | 'agent';
  content: string;
}

/** The latest turns, as many as that, oldest first. Each is one entry of the user and one of the agent. */
export async function readHistory(
  sql: Sql,
  { agentId, sessionId }: Session,
  turns: number,
): Promise<RememberedTurn[]> {
  if (turns === 0) return [];
  const latestFirst = await sql.run<RememberedTurn>(LATEST, [agentId, sessionId, 2 * turns]);
  return latestFirst.reverse();
}

const LATEST: Statement = {
  name: 'session_history',
  text: `
    SELECT role, content FROM memory_entries
     WHERE agent_id = $1 AND session_id = $2
     ORDER BY created_at DESC, id DESC
     LIMIT $3`,
};

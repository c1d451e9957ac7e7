/** What was said in a session so far. */
import type { Session } from './session-leases.js';
import type { Sql, Statement } from './sql.js';

export interface HistoryMessage {
  role: 'user' | 'agent';
  content: string;
}

/** The latest turns, as many as that, oldest first. Each is one entry of the user and one of the agent. */
export async function readHistory(
  sql: Sql,
  { agentId, sessionId }: Session,
  exchanges: number,
): Promise<HistoryMessage[]> {
  if (exchanges === 0) return [];
  const latestFirst = await sql.run<HistoryMessage>(LATEST, [agentId, sessionId, 2 * exchanges]);
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

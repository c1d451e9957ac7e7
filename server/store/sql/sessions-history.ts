/**
 * Reads the latest messages of a session.
 * Why SQL: every invocation of a session waits for it; measured 6,400/s against 1,500/s with Prisma.
 */
import type { MemoryRole } from '../../../generated/prisma/enums.js';
import type { Queryable, Statement } from '../connection.js';
import { memoryIdSql } from './fragments.js';
import type { Session } from './sessions-take.js';

export interface HistoryMessage {
  role: MemoryRole;
  content: string;
}

/** A history beyond any model's context would only fill the memory of the service. */
const maxHistoryBytes = 4_000_000;

// The latest by id, since that is how partitions are ordered; among those, the database's clock decides, as instances' clocks may
// differ. Two statements, because no index serves IS NOT DISTINCT FROM. They look at the agent themselves, and not at a cached
// configuration, so that what was cleared is never recalled.
const latest = (name: string, ofUser: string, notCleared = ''): Statement => ({
  name,
  text: `
    SELECT role, content FROM (
      SELECT role, content, created_at, id, epoch, sum(octet_length(content)) OVER (ORDER BY created_at DESC, id DESC) AS bytes
        FROM (SELECT * FROM memory_entries
               WHERE agent_id = (SELECT ${memoryIdSql('agents')} FROM agents WHERE id = $1)
                 AND session_id = $2 AND user_id ${ofUser}
               ORDER BY id DESC
               LIMIT $3) AS latest
    ) AS measured
     WHERE bytes <= ${maxHistoryBytes} ${notCleared}
     ORDER BY created_at DESC, id DESC`,
});

const latestOfNobody = latest('session_history', 'IS NULL');
const latestOfUser = latest(
  'session_history_user',
  '= $4',
  `AND epoch > coalesce((SELECT epoch FROM memory_clearances WHERE agent_id = $1 AND user_id = $4), -1)`,
);

/** Returns the latest exchanges, oldest first, up to 4 MB. Each is one message of the user and one of the agent. */
export async function readHistory(
  database: Queryable,
  { agentId, userId, sessionId }: Session,
  exchanges: number,
): Promise<HistoryMessage[]> {
  if (exchanges === 0) return [];
  const values = [agentId, sessionId, 2 * exchanges];
  const latestFirst = await (userId === null
    ? database.run<HistoryMessage>(latestOfNobody, values)
    : database.run<HistoryMessage>(latestOfUser, [...values, userId]));
  const history = latestFirst.reverse();
  // Where the limit on bytes fell between a message and its answer.
  return history[0]?.role === 'agent' ? history.slice(1) : history;
}

/**
 * Reads the latest messages of a session.
 * Why SQL: the history is bounded by the bytes of its messages, which Prisma cannot sum up.
 */
import type { MemoryRole } from '../../../generated/prisma/enums.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import { memoryIdSql } from '../memory/scope.sql.js';
import type { Session } from './lease.sql.js';

export interface HistoryMessage {
  role: MemoryRole;
  content: string;
}

/** About what the largest models take. */
const maxHistoryBytes = 1_000_000;

// $1 the account, $2 the agent, $3 the session, $4 how many messages, $5 the user. The latest by id, since that is how partitions are ordered; among
// those, the database's clock decides, as instances' clocks may differ. There is a statement for sessions with a user and one for those
// without, because no index serves IS NOT DISTINCT FROM. They look at the agent themselves, and not at a cached configuration,
// so that what was cleared is never recalled.
const history = (name: string, ofUser: string, isKept: string): Statement => ({
  name,
  text: `
    SELECT role, content FROM (
      SELECT *, sum(octet_length(content)) OVER (ORDER BY created_at DESC, id DESC) AS bytes
        FROM (SELECT * FROM memory_entries
               WHERE account_id = $1 AND agent_id = (SELECT ${memoryIdSql('agents')} FROM agents WHERE id = $2)
                 AND session_id = $3 AND user_id ${ofUser}
               ORDER BY id DESC LIMIT $4) AS latest
       WHERE ${isKept}
    ) AS measured
     WHERE bytes <= ${maxHistoryBytes}
     ORDER BY created_at, id`,
});

const ofUser = history(
  'session_history_user',
  '= $5',
  `epoch > coalesce(
     (SELECT epoch FROM memory_clearances WHERE account_id = $1 AND agent_id = $2 AND user_id = $5), -1)`,
);
const withoutUser = history('session_history', 'IS NULL', 'true');

/** The latest exchanges, each a message of the user and one of the agent, oldest first, up to 1 MB. */
export async function readHistory(
  database: Queryable,
  { accountId, agentId, sessionId, userId }: Session,
  exchanges: number,
): Promise<HistoryMessage[]> {
  if (exchanges === 0) return [];
  const values = [accountId, agentId, sessionId, 2 * exchanges];
  const messages = await (userId === null
    ? database.run<HistoryMessage & object>(withoutUser, values)
    : database.run<HistoryMessage & object>(ofUser, [...values, userId]));
  // The limit on bytes may have fallen between a message and its answer.
  return messages[0]?.role === 'agent' ? messages.slice(1) : messages;
}

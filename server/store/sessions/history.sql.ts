/**
 * Reads the latest messages of a session.
 * Why SQL: the total size of the messages limits the history, and Prisma cannot compute running totals.
 */
import type { MemoryRole } from '../../../generated/prisma/enums.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import { memoryIdSql } from '../memory/scope.sql.js';
import type { Session } from './lease.sql.js';

export interface HistoryMessage {
  role: MemoryRole;
  content: string;
}

/** About as much as the largest models accept. */
const maxHistoryBytes = 1_000_000;

// $1 account, $2 agent, $3 session, $4 number of messages, $5 user. Selects the latest messages by id, which is the order of the
// partitions, and sorts them by the database's clock, because instances' clocks may differ. Sessions with and without a user have
// separate statements, because no index supports IS NOT DISTINCT FROM. The statements read the agent's row instead of a cached
// configuration, so that cleared messages are never recalled.
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

/** Returns the latest exchanges (a user's message and the agent's answer), oldest first, up to 1 MB. */
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
  // The size limit may have separated a message from its answer.
  return messages[0]?.role === 'agent' ? messages.slice(1) : messages;
}

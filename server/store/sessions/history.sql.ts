/**
 * Reads the latest messages of sessions.
 * Why SQL: the total size of the messages limits a history, and Prisma cannot compute running totals.
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

export interface HistoryRequest {
  session: Session;
  exchanges: number;
}

// $1 account, $2 sessions. Selects the latest messages by id, which is the order of the partitions, and sorts them by the database's
// clock, because instances' clocks may differ. Sessions with and without a user have separate statements, because no index supports
// IS NOT DISTINCT FROM. The statements read the agent's row instead of a cached configuration, so that cleared messages are never
// recalled.
const history = (name: string, ofUser: string, isKept: string): Statement => ({
  name,
  text: `
    SELECT n, message.role, message.content
      FROM json_to_recordset($2::json) AS s (n int, "agentId" text, "sessionId" text, "userId" text, messages int)
     CROSS JOIN LATERAL (
       SELECT *, sum(octet_length(content)) OVER (ORDER BY created_at DESC, id DESC) AS bytes
         FROM (SELECT * FROM memory_entries
                WHERE account_id = $1 AND agent_id = (SELECT ${memoryIdSql('agents')} FROM agents WHERE id = s."agentId")
                  AND session_id = s."sessionId" AND user_id ${ofUser}
                ORDER BY id DESC LIMIT s.messages) AS latest
        WHERE ${isKept}
     ) AS message
     WHERE bytes <= ${maxHistoryBytes}
     ORDER BY n, created_at, id`,
});

const ofUser = history(
  'session_history_user',
  '= s."userId"',
  `epoch > coalesce(
     (SELECT epoch FROM memory_clearances WHERE account_id = $1 AND agent_id = s."agentId" AND user_id = s."userId"), -1)`,
);
const withoutUser = history('session_history', 'IS NULL', 'true');

/**
 * Returns for each request the latest exchanges (a user's message and the agent's answer), oldest first, up to 1 MB. The sessions are of
 * one account, and either all or none have a user.
 */
export async function readHistories(
  database: Queryable,
  requests: readonly HistoryRequest[],
): Promise<HistoryMessage[][]> {
  const rows = requests.map(({ session: { agentId, sessionId, userId }, exchanges }, n) => ({
    n,
    agentId,
    sessionId,
    userId,
    messages: 2 * exchanges,
  }));
  const { accountId, userId = null } = requests[0]?.session ?? {};
  const statement = userId === null ? withoutUser : ofUser;
  const values = [accountId, JSON.stringify(rows)];
  const messages = await database.run<HistoryMessage & { n: number }>(statement, values);
  const histories = requests.map((): HistoryMessage[] => []);
  for (const { n, role, content } of messages) histories[n]?.push({ role, content });
  // The size limit may have separated a message from its answer.
  return histories.map((history) => (history[0]?.role === 'agent' ? history.slice(1) : history));
}

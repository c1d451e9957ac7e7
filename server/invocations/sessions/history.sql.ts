/**
 * Reads the latest messages of sessions, and stores their summaries.
 * Why SQL: the total size of the messages limits a history, and Prisma cannot compute running totals, nor add to JSON.
 */
import type { MemoryRole } from '../../../generated/prisma/enums.js';
import type { Queryable, Statement } from '../../postgres/connection.js';
import { jsonRows, rowsFrom } from '../../postgres/rows.sql.js';
import { memoryIdSql } from '../../memory/scope.sql.js';
import type { LeaseRequest } from './lease.sql.js';

export interface HistoryMessage {
  id: string;
  role: MemoryRole;
  content: string;
  /** Of an answer; null if there is nothing to say about it. */
  turn: StoredTurn | null;
}

/** What is stored of a turn in addition to its messages. */
export interface StoredTurn {
  calls?: StoredCall[];
  /** The answer reached the output limit. */
  isCut?: true;
  /** A summary of the session up to this turn. */
  summary?: string;
}

/** A tool call, with a shortened result. */
export interface StoredCall {
  id: string;
  name: string;
  arguments: object;
  succeeded: boolean;
  result: string;
}

/** About as much as the largest models accept. */
const maxHistoryBytes = 1_000_000;

const readColumns = {
  owner: 'text',
  agentId: 'text',
  sessionId: 'text',
  userId: 'text',
  messages: 'int',
};

// $1 account, $2 sessions. Selects the latest messages by id, which is the order of the partitions, and sorts them by the database's
// clock, because instances' clocks may differ. Sessions with and without a user have separate statements, because no index supports
// IS NOT DISTINCT FROM. The statements read the agent's row instead of a cached configuration, so that cleared messages are never
// recalled.
const history = (name: string, ofUser: string): Statement => ({
  name,
  text: `
    SELECT owner, message.id, message.role, message.content, message.turn
      FROM ${rowsFrom('$2', 's', readColumns)}
     CROSS JOIN LATERAL (
       SELECT *, sum(octet_length(content) + coalesce(octet_length(turn::text), 0)) OVER (ORDER BY created_at DESC, id DESC) AS bytes
         FROM (SELECT * FROM memory_entries
                WHERE account_id = $1 AND agent_id = (SELECT ${memoryIdSql('agents')} FROM agents WHERE id = s."agentId")
                  AND session_id = s."sessionId" AND user_id ${ofUser}
                ORDER BY id DESC LIMIT s.messages) AS latest
     ) AS message
     WHERE bytes <= ${maxHistoryBytes}
     ORDER BY created_at, id`,
});

const ofUser = history('session_history_user', '= s."userId"');
const withoutUser = history('session_history', 'IS NULL');

/**
 * Reads the latest exchanges of sessions of one account, oldest first, each up to 1 MB, and one more than requested, which tells whether
 * there are more. Returns them by the owner of the lease.
 */
export async function readHistories(
  database: Queryable,
  requests: readonly LeaseRequest[],
): Promise<Map<string, HistoryMessage[]>> {
  const histories = new Map(requests.map(({ owner }) => [owner, [] as HistoryMessage[]]));
  const read = async (statement: Statement, of: readonly LeaseRequest[]) => {
    if (of.length === 0) return;
    const rows = of.map(({ owner, session, exchanges }) => ({
      ...session,
      owner,
      messages: 2 * (exchanges + 1),
    }));
    const values = [of[0]?.session.accountId, jsonRows(readColumns, rows)];
    const messages = await database.run<HistoryMessage & { owner: string }>(statement, values);
    for (const { owner, ...message } of messages) {
      const history = histories.get(owner);
      // The size limit may have separated a message from its answer.
      if (message.role === 'user' || (history && history.length > 0)) history?.push(message);
    }
  };
  const recalled = requests.filter(({ exchanges }) => exchanges > 0);
  await Promise.all([
    read(
      withoutUser,
      recalled.filter(({ session }) => session.userId === null),
    ),
    read(
      ofUser,
      recalled.filter(({ session }) => session.userId !== null),
    ),
  ]);
  return histories;
}

const save: Statement = {
  name: 'session_summary',
  text: `
    UPDATE memory_entries SET turn = coalesce(turn, '{}') || jsonb_build_object('summary', $3::text)
     WHERE account_id = $1 AND id = $2 AND role = 'agent'`,
};

/** Adds it to the answer of the last turn that it covers, unless that was cleared or erased meanwhile. */
export async function saveSummary(
  database: Queryable,
  { accountId, id, summary }: { accountId: string; id: string; summary: string },
): Promise<void> {
  await database.run(save, [accountId, id, summary]);
}

/**
 * Reads the latest messages of sessions, and stores their summaries.
 * Why SQL: the total size of the messages limits a history, and Prisma cannot compute running totals, nor add to JSON.
 */
import type { MemoryRole } from '../../../generated/prisma/enums.js';
import type { Queryable, Statement } from '../../postgres/connection.js';
import { jsonRows, rowsFrom } from '../../postgres/rows.sql.js';
import { memoryIdSql } from '../../memory/scope.sql.js';
import type { LeaseRequest, Session } from './lease.sql.js';

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
  environment: 'text',
  messages: 'int',
};

// $1 account, $2 sessions. Selects the latest messages by id, which is the order of the partitions, and sorts them by the database's
// clock, because instances' clocks may differ. Sessions with and without a user, in production and elsewhere, have separate statements,
// because no index supports IS NOT DISTINCT FROM. The statements read the agent's row instead of a cached configuration, so that cleared
// messages are never recalled.
const history = (name: string, kind: string): Statement => ({
  name,
  text: `
    SELECT owner, message.id, message.role, message.content, message.turn
      FROM ${rowsFrom('$2', 's', readColumns)}
     CROSS JOIN LATERAL (
       SELECT *, sum(octet_length(content) + coalesce(octet_length(turn::text), 0)) OVER (ORDER BY created_at DESC, id DESC) AS bytes
         FROM (SELECT * FROM memory_entries
                WHERE account_id = $1 AND agent_id = (SELECT ${memoryIdSql('agents')} FROM agents WHERE id = s."agentId")
                  AND session_id = s."sessionId" AND ${kind}
                ORDER BY id DESC LIMIT s.messages) AS latest
     ) AS message
     WHERE bytes <= ${maxHistoryBytes}
     ORDER BY created_at, id`,
});

interface HistoryKind {
  has: (session: Session) => boolean;
  statement: Statement;
}

const [inProduction, elsewhere] = ['environment IS NULL', 'environment = s.environment'];
const [withoutUser, ofUser] = ['user_id IS NULL', 'user_id = s."userId"'];

const kinds: readonly HistoryKind[] = [
  {
    has: ({ userId, environment }) => userId === null && environment === null,
    statement: history('session_history', `${withoutUser} AND ${inProduction}`),
  },
  {
    has: ({ userId, environment }) => userId !== null && environment === null,
    statement: history('session_history_user', `${ofUser} AND ${inProduction}`),
  },
  {
    has: ({ userId, environment }) => userId === null && environment !== null,
    statement: history('session_history_elsewhere', `${withoutUser} AND ${elsewhere}`),
  },
  {
    has: ({ userId, environment }) => userId !== null && environment !== null,
    statement: history('session_history_user_elsewhere', `${ofUser} AND ${elsewhere}`),
  },
];

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
  await Promise.all(
    kinds.map(({ has, statement }) =>
      read(
        statement,
        recalled.filter(({ session }) => has(session)),
      ),
    ),
  );
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

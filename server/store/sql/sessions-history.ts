/**
 * Reads the latest messages of sessions.
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

export interface HistoryRead {
  session: Session;
  /** The latest so many, each of them one message of the user and one of the agent. */
  exchanges: number;
}

/** A history beyond any model's context would only fill the memory of the service. */
const maxHistoryBytes = 4_000_000;

/** Beyond that a history is read by itself, so that those who share a statement do not add up to very much. */
export const shortHistoryBytes = 64_000;

// $1 the agent; $2 the sessions, $3 their users, $4 how many messages of each; $5 up to how many bytes contents are returned.
// The latest by id, since that is how partitions are ordered; among those, the database's clock decides, as instances' clocks may
// differ. Two statements, because no index serves IS NOT DISTINCT FROM. They look at the agent themselves, and not at a cached
// configuration, so that what was cleared is never recalled.
const latest = (name: string, ofUser: string, notCleared = ''): Statement => ({
  name,
  text: `
    SELECT n::int, role, CASE WHEN total <= $5 THEN content END AS content
      FROM unnest($2::text[], $3::text[], $4::int[]) WITH ORDINALITY AS wanted (session_id, user_id, messages, n)
     CROSS JOIN LATERAL (
       SELECT *, sum(octet_length(content)) OVER () AS total FROM (
         SELECT role, content, created_at, id, epoch,
                sum(octet_length(content)) OVER (ORDER BY created_at DESC, id DESC) AS bytes
           FROM (SELECT * FROM memory_entries
                  WHERE agent_id = (SELECT ${memoryIdSql('agents')} FROM agents WHERE id = $1)
                    AND session_id = wanted.session_id AND user_id ${ofUser}
                  ORDER BY id DESC
                  LIMIT wanted.messages) AS latest
       ) AS measured
        WHERE bytes <= ${maxHistoryBytes} ${notCleared}
     ) AS history
     ORDER BY n, created_at, id`,
});

const latestOfNobody = latest('session_history', 'IS NULL');
const latestOfUser = latest(
  'session_history_user',
  '= wanted.user_id',
  `AND epoch > coalesce(
     (SELECT epoch FROM memory_clearances WHERE agent_id = $1 AND user_id = wanted.user_id), -1)`,
);

interface Found {
  n: number;
  role: MemoryRole;
  /** Null in all messages of a history that is longer. */
  content: string | null;
}

/** Whose sessions can be read together: those of an agent, either with or without users. */
export function historyGroup({ session: { agentId, userId } }: HistoryRead): string {
  return `${agentId} ${userId === null ? 'nobody' : 'user'}`;
}

/** The latest exchanges, oldest first, up to 4 MB. */
export async function readHistory(
  database: Queryable,
  session: Session,
  exchanges: number,
): Promise<HistoryMessage[]> {
  const found = await find(database, [{ session, exchanges }], maxHistoryBytes);
  return wholeExchanges(found.filter(hasContent));
}

/** For reads of one group. */
export async function readShortHistories(
  database: Queryable,
  reads: readonly HistoryRead[],
  maxBytes: number,
): Promise<(HistoryMessage[] | 'longer')[]> {
  const histories = reads.map((): Found[] => []);
  for (const message of await find(database, reads, maxBytes)) {
    histories[message.n - 1]?.push(message);
  }
  return histories.map((found) => (found.every(hasContent) ? wholeExchanges(found) : 'longer'));
}

function find(
  database: Queryable,
  reads: readonly HistoryRead[],
  maxBytes: number,
): Promise<Found[]> {
  const sessions = reads.map(({ session }) => session);
  const isOfUser = sessions.some(({ userId }) => userId !== null);
  return database.run<Found & object>(isOfUser ? latestOfUser : latestOfNobody, [
    sessions[0]?.agentId,
    sessions.map(({ sessionId }) => sessionId),
    sessions.map(({ userId }) => userId),
    reads.map(({ exchanges }) => 2 * exchanges),
    maxBytes,
  ]);
}

const hasContent = (message: Found): message is Found & HistoryMessage => message.content !== null;

function wholeExchanges(found: readonly HistoryMessage[]): HistoryMessage[] {
  const history = found.map(({ role, content }) => ({ role, content }));
  // Where the limit on bytes fell between a message and its answer.
  return history[0]?.role === 'agent' ? history.slice(1) : history;
}

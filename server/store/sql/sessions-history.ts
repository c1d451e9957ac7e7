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

// The latest by id, since that is how partitions are ordered; among those, the database's clock decides, as instances' clocks may
// differ. For nobody and for a user there are two statements, because no index serves IS NOT DISTINCT FROM. They look at the agent
// themselves, and not at a cached configuration, so that what was cleared is never recalled.
const latest = (ofUser: string) => `
  SELECT * FROM memory_entries
   WHERE agent_id = (SELECT ${memoryIdSql('agents')} FROM agents WHERE id = $1)
     AND session_id = wanted.session_id AND user_id ${ofUser}
   ORDER BY id DESC
   LIMIT wanted.messages`;

/** Either of nobody or of users. */
interface Whose {
  name: string;
  ofUser: string;
  isKept: string;
}

const nobody: Whose = { name: '', ofUser: 'IS NULL', isKept: 'true' };
const users: Whose = {
  name: '_user',
  ofUser: '= wanted.user_id',
  isKept: `epoch > coalesce(
     (SELECT epoch FROM memory_clearances WHERE agent_id = $1 AND user_id = wanted.user_id), -1)`,
};

// $1 the agent; $2 the sessions, $3 their users, $4 how many messages of each; $5 how long they may be. A row for each: to parse one costs less than to read
// as many rows as there are messages. Null for a history that is longer, of which no long message is put into JSON to no purpose.
const short = ({ name, ofUser, isKept }: Whose): Statement => ({
  name: `session_histories${name}`,
  text: `
    SELECT history.messages
      FROM unnest($2::text[], $3::text[], $4::int[]) WITH ORDINALITY AS wanted (session_id, user_id, messages, n)
     CROSS JOIN LATERAL (
       SELECT CASE
                WHEN count(*) = 0 THEN '[]'
                WHEN sum(bytes) <= $5::int THEN
                  json_agg(json_build_array(role, CASE WHEN bytes <= $5::int THEN content END)
                           ORDER BY created_at, id)
              END AS messages
         FROM (SELECT *, octet_length(content) AS bytes FROM (${latest(ofUser)}) AS latest WHERE ${isKept}) AS kept
     ) AS history
     ORDER BY n`,
});

// $1 the agent, $2 the session, $3 its user, $4 how many messages.
const long = ({ name, ofUser, isKept }: Whose): Statement => ({
  name: `session_history${name}`,
  text: `
    SELECT role, content FROM (
      SELECT *, sum(octet_length(content)) OVER (ORDER BY created_at DESC, id DESC) AS bytes
        FROM (VALUES ($2::text, $3::text, $4::int)) AS wanted (session_id, user_id, messages)
       CROSS JOIN LATERAL (${latest(ofUser)}) AS latest
       WHERE ${isKept}
    ) AS measured
     WHERE bytes <= ${maxHistoryBytes}
     ORDER BY created_at, id`,
});

const statements = {
  short: { nobody: short(nobody), user: short(users) },
  long: { nobody: long(nobody), user: long(users) },
};

const kindOf = ({ userId }: Session) => (userId === null ? 'nobody' : 'user');

/** Whose sessions can be read together: those of an agent, either with or without users. */
export function historyGroup({ session }: HistoryRead): string {
  return `${session.agentId} ${kindOf(session)}`;
}

/** The latest exchanges, oldest first, up to 4 MB. */
export async function readHistory(
  database: Queryable,
  session: Session,
  exchanges: number,
): Promise<HistoryMessage[]> {
  const { agentId, sessionId, userId } = session;
  const values = [agentId, sessionId, userId, 2 * exchanges];
  return wholeExchanges(
    await database.run<HistoryMessage & object>(statements.long[kindOf(session)], values),
  );
}

/** For reads of one group. */
export async function readShortHistories(
  database: Queryable,
  reads: readonly HistoryRead[],
  maxBytes: number,
): Promise<(HistoryMessage[] | 'longer')[]> {
  const [first] = reads;
  if (!first) return [];
  const sessions = reads.map(({ session }) => session);
  const rows = await database.run<{ messages: [MemoryRole, string][] | null }>(
    statements.short[kindOf(first.session)],
    [
      first.session.agentId,
      sessions.map(({ sessionId }) => sessionId),
      sessions.map(({ userId }) => userId),
      reads.map(({ exchanges }) => 2 * exchanges),
      maxBytes,
    ],
  );
  return rows.map(({ messages }) =>
    messages ? wholeExchanges(messages.map(([role, content]) => ({ role, content }))) : 'longer',
  );
}

/** Where the limit on bytes fell between a message and its answer. */
function wholeExchanges(history: HistoryMessage[]): HistoryMessage[] {
  return history[0]?.role === 'agent' ? history.slice(1) : history;
}

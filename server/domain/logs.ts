/** The rules for reading an agent's log. */
import type { AgentReference } from '../../generated/api.js';
import type { Query } from '../../generated/operations.js';
import type { Database } from '../store/postgres/database.js';
import { readLogPage, type StoredLogEntry } from '../store/logs/entries.js';
import { getAgent } from './agents/agents.js';
import type { Caller } from './caller.js';
import type { Page } from './page.js';
import { rangeOf } from './time-range.js';

export type { StoredLogEntry } from '../store/logs/entries.js';

export async function getLogs(
  database: Database,
  caller: Caller,
  reference: AgentReference,
  filter: Query<'getLogs'>,
): Promise<Page<StoredLogEntry>> {
  const range = rangeOf(filter, { to: Infinity, from: () => -Infinity });
  const { id: agentId } = await getAgent(database, caller, reference);
  const { level, request_id: requestId, limit, offset } = filter;
  const { accountId } = caller;
  const query = { accountId, agentId, level, requestId, range, limit, offset };
  const page = await readLogPage(database.searches(accountId), query);
  return { ...page, items: page.items.map((entry) => forReader(caller, entry)) };
}

const personal = new Set(['user_id', 'session_id']);

/** Whoever reads with a token does not learn which other users there are, or the names of their sessions. */
function forReader({ userId }: Caller, entry: StoredLogEntry): StoredLogEntry {
  if (userId === null || entry.metadata['user_id'] === userId) return entry;
  const kept = Object.entries(entry.metadata).filter(([name]) => !personal.has(name));
  return { ...entry, metadata: Object.fromEntries(kept) };
}

/** The rules for reading an agent's log. */
import type { AgentReference } from '../../generated/api.js';
import type { Query } from '../../generated/operations.js';
import type { Database } from '../store/postgres/database.js';
import { readLogPage, type StoredLogEntry } from '../store/logs/page.sql.js';
import { getAgent } from './agents/agents.js';
import type { Caller } from './caller.js';
import type { Page } from '../store/postgres/page.js';
import { rangeOf } from './time-range.js';

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
  return { ...page, items: page.items.map((entry) => withoutOtherUsers(caller, entry)) };
}

/** Metadata that the service makes itself, and that names no user: nothing in it comes from a message, a model or a tool. */
const ownIds = new Set(['deployment_id', 'webhook_id', 'event_id']);

/** A caller with a token must learn nothing that other users said or caused. An entry without a user counts as another user's. */
function withoutOtherUsers({ userId }: Caller, entry: StoredLogEntry): StoredLogEntry {
  if (userId === null || entry.metadata['user_id'] === userId) return entry;
  const kept = Object.entries(entry.metadata).filter(([name]) => ownIds.has(name));
  return { ...entry, metadata: Object.fromEntries(kept) };
}

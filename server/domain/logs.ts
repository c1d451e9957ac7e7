/** The rules for reading an agent's log. */
import type { AgentReference } from '../../generated/api.js';
import type { Query } from '../../generated/operations.js';
import type { Database } from '../store/database.js';
import { readLogPage, type StoredLogEntry } from '../store/log-entries.js';
import { getAgent } from './agents/agents.js';
import type { Caller } from './caller.js';
import type { Page } from './page.js';
import { rangeOf } from './time-range.js';

export type { StoredLogEntry } from '../store/log-entries.js';

export async function getLogs(
  database: Database,
  caller: Caller,
  reference: AgentReference,
  filter: Query<'getLogs'>,
): Promise<Page<StoredLogEntry>> {
  const range = rangeOf(filter, { to: Infinity, from: () => -Infinity });
  const { id: agentId } = await getAgent(database, caller, reference);
  const { level, request_id: requestId, limit, offset } = filter;
  return readLogPage(database, { agentId, level, requestId, range, limit, offset });
}

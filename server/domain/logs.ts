/** The rules for logs: whose may be read, and which entries an answer holds. */
import type { AgentReference, LogLevel } from '../../generated/api.js';
import type { Database } from '../store/database.js';
import { readLogPage, type StoredLogEntry } from '../store/log-entries.js';
import { getAgent } from './agents/agents.js';
import type { Caller } from './caller.js';
import type { Page, PageRequest } from './page.js';
import { rangeOf, type RangeRequest } from './time-range.js';

export type { StoredLogEntry } from '../store/log-entries.js';

export interface LogFilter extends PageRequest, RangeRequest {
  level?: LogLevel;
  request_id?: string;
}

export async function getLogs(
  database: Database,
  caller: Caller,
  reference: AgentReference,
  filter: LogFilter,
): Promise<Page<StoredLogEntry>> {
  const range = rangeOf(filter, { to: Infinity, from: () => -Infinity });
  const { id: agentId } = await getAgent(database, caller, reference);
  const { level, request_id: requestId, limit, offset } = filter;
  return readLogPage(database, { agentId, level, requestId, range, limit, offset });
}

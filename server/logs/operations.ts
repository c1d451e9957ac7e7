/** The operation on logs. */
import type { LogEntry } from '../../generated/api.js';
import type { Caller, FindAgent } from '../accounts/caller.js';
import { environmentFilter } from '../contract/environments.js';
import { rangeOf } from '../contract/time-range.js';
import { readLogPage, type StoredLogEntry } from './page.sql.js';
import type { OperationContext } from '../accounts/operation-context.js';
import type { Operations } from '../contract/operations.js';
import { list } from '../contract/response.js';
import type { Database } from '../postgres/database.js';

interface LogParts {
  database: Database;
  findAgent: FindAgent;
}

export function logOperations({ database, findAgent }: LogParts) {
  return {
    getLogs: async ({ path, query }, { caller }) => {
      const range = rangeOf(query, { to: Infinity, from: () => -Infinity });
      const { id: agentId } = await findAgent(caller, path.agent_id);
      const { level, request_id: requestId, limit, offset } = query;
      const { accountId } = caller;
      const environment = environmentFilter(query.environment);
      const filter = { accountId, agentId, level, requestId, environment, range, limit, offset };
      const page = await readLogPage(database.searches(accountId), filter);
      return list(query, page, (entry) => present(entry, caller));
    },
  } satisfies Partial<Operations<OperationContext>>;
}

function present(entry: StoredLogEntry, caller: Caller): LogEntry {
  return {
    id: entry.id,
    timestamp: entry.at.toISOString(),
    level: entry.level,
    message: entry.message,
    metadata: { request_id: entry.requestId, ...visibleMetadata(entry, caller) },
  };
}

/** Metadata that the service makes itself, and that names no user: nothing in it comes from a message, a model or a tool. */
const ownIds = new Set([
  'deployment_id',
  'webhook_id',
  'event_id',
  'parent_request_id',
  'child_request_id',
]);

/** A caller with a token must learn nothing that other users said or caused. An entry without a user counts as another user's. */
function visibleMetadata({ metadata }: StoredLogEntry, { userId }: Caller) {
  if (userId === null || metadata['user_id'] === userId) return metadata;
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => ownIds.has(name)));
}

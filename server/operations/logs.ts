/** The operation on logs. */
import type { LogEntry } from '../../generated/api.js';
import { getLogs } from '../domain/logs.js';
import type { StoredLogEntry } from '../store/logs/page.sql.js';
import type { OperationContext } from './context.js';
import type { Operations } from './contract.js';
import { list } from './response.js';
import type { Services } from './services.js';

export function logOperations({ database }: Services) {
  return {
    getLogs: async ({ path, query }, { caller }) => {
      const found = await getLogs(database, caller, path.agent_id, query);
      return list(query, found, present);
    },
  } satisfies Partial<Operations<OperationContext>>;
}

function present({ id, at, level, message, requestId, metadata }: StoredLogEntry): LogEntry {
  return {
    id,
    timestamp: at.toISOString(),
    level,
    message,
    metadata: { request_id: requestId, ...metadata },
  };
}

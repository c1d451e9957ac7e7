/** The operations on memory. */
import type { MemoryMatch } from '../../generated/api.js';
import { clearMemory, searchMemory, type SearchParts } from './memory.js';
import type { MemoryMatch as StoredMatch } from './search.sql.js';
import type { OperationContext } from '../accounts/operation-context.js';
import type { Operations } from '../contract/operations.js';
import { list, ok } from '../contract/response.js';

export function memoryOperations(parts: SearchParts) {
  return {
    searchMemory: async ({ path, body }, context) => {
      const found = await searchMemory(parts, context, path.agent_id, body);
      return list({ limit: body.limit, offset: 0 }, found, present);
    },

    clearMemory: async ({ path }, context) =>
      ok({ cleared: await clearMemory(parts.database, context, path.agent_id) }),
  } satisfies Partial<Operations<OperationContext>>;
}

function present({ environment, ...match }: StoredMatch): MemoryMatch {
  return {
    id: match.id,
    content: match.content,
    role: match.role,
    score: Math.round(match.score * 10_000) / 10_000,
    metadata: {
      session_id: match.sessionId,
      user_id: match.userId,
      request_id: match.requestId,
      ...(environment === null ? {} : { environment }),
    },
    created_at: match.createdAt.toISOString(),
  };
}

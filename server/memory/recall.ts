/** The built-in tool `recall`: lets a model search what was said before, but never what others said. */
import type { MemoryMatch } from './search.sql.js';
import { findAgentMemory } from './scope.sql.js';
import type { Tool } from '../models/tools/tool.js';
import { rankMemory, type SearchParts } from './memory.js';

/** Whose memory is searched: a user's, or what was said in a session without a user. */
interface Remembering {
  accountId: string;
  agentId: string;
  userId: string | null;
  sessionId: string | null;
  /** Where it was said. Null: in production. */
  environment: string | null;
}

/** Undefined if the invocation has neither a user nor a session, so that there is nothing of its own to recall. */
export type OpenRecall = (whose: Remembering) => Tool | undefined;

const recallToolName = 'recall';
const timeoutMs = 10_000;
const maxEntries = 10;
const maxEntryLength = 1_000;
/** More than are shown, because entries of users are left out of a session without a user. */
const searchedEntries = 50;

const parameters = {
  type: 'object',
  required: ['query'],
  additionalProperties: false,
  properties: {
    query: { type: 'string', description: 'Words to search for.', minLength: 1, maxLength: 1_000 },
  },
};

export function createRecall(parts: SearchParts): OpenRecall {
  return (whose) =>
    whose.userId === null && whose.sessionId === null
      ? undefined
      : {
          name: recallToolName,
          description:
            'Searches what was said in earlier conversations with this user. Use it when the user refers to something that is not in this conversation.',
          parameters,
          timeoutMs,
          hasEffect: false,
          call: async ({ query }) => resultOf(await search(parts, whose, String(query))),
        };
}

async function search(
  parts: SearchParts,
  { accountId, agentId, userId, sessionId, environment }: Remembering,
  query: string,
): Promise<MemoryMatch[]> {
  const memory = await findAgentMemory(parts.database, accountId, agentId);
  if (!memory) return [];
  const own =
    userId === null
      ? { userId: undefined, sessionId: sessionId ?? undefined }
      : { userId, sessionId: undefined };
  const { items } = await rankMemory(
    parts,
    { ...memory, ...own, environment },
    { query, limit: searchedEntries },
  );
  // A session without a user whose id users also use has entries of theirs.
  return items.filter((entry) => entry.userId === userId).slice(0, maxEntries);
}

function resultOf(entries: readonly MemoryMatch[]): string {
  if (entries.length === 0) return 'Nothing was found.';
  return entries
    .map(({ role, content, createdAt }) => {
      const text =
        content.length > maxEntryLength ? `${content.slice(0, maxEntryLength)}…` : content;
      return JSON.stringify({
        said_by: role,
        at: createdAt.toISOString(),
        text: text.toWellFormed(),
      });
    })
    .join('\n');
}

/** The model of memory search: a message is found by its words, and nothing else is found. */
import type { JsonObject } from '../../../scripts/lib/json.js';
import { assertMatches, formatted } from '../mismatch.js';
import { vocabulary } from '../text.js';
import { agentMissing } from './agents.js';
import { checkPage } from './lists.js';
import type { Rules } from './rule.js';
import { agentOf, type Call, type MemoryRecord } from './state.js';

interface Search {
  query: string;
  limit?: number;
  filter?: { user_id?: string; session_id?: string; environment?: string };
}

/** With more entries, only the latest ones are compared for frequent words. */
const fewEntries = 500;

export const memoryRules = {
  searchMemory: {
    refusals: agentMissing,
    checkAndApply: (call, _data, answer) => {
      const { pointer } = call.request.operation;
      const found = checkPage(call, answer);
      const known = entriesOf(call);
      for (const match of found) {
        assertMatches(
          known.some((entry) => isSame(entry, match)),
          pointer,
          () =>
            `It found what was not said, or not by this user or in this session: ${formatted(match)}`,
        );
      }
      const scores = found.map((match) => Number(match['score']));
      const isOrdered = scores.every(
        (score, index) => index === 0 || score <= (scores[index - 1] ?? 0),
      );
      assertMatches(isOrdered, pointer, () => `The best match is not first: ${formatted(scores)}`);
      const { query, limit = 10 } = call.request.body as Search;
      const words = query.split(' ');
      if (!words.every(isKnownWord) || known.length > fewEntries) return;
      const expected = known.filter(({ content }) =>
        content.split(' ').some((word) => words.includes(word)),
      );
      for (const entry of expected.length <= limit ? expected : []) {
        const isFound = found.some((match) => isSame(entry, match)) || found.length === limit;
        assertMatches(isFound, pointer, () => `'${query}' did not find ${formatted(entry)}`);
      }
    },
  },
} satisfies Rules;

function entriesOf(call: Call): MemoryRecord[] {
  const {
    user_id: user,
    session_id: session,
    environment,
  } = (call.request.body as Search).filter ?? {};
  return agentOf(call)
    .memory.filter((entry) => user === undefined || entry.user_id === user)
    .filter((entry) => session === undefined || entry.session_id === session)
    .filter((entry) => environment === undefined || entry.environment === environment);
}

function isSame(entry: MemoryRecord, match: JsonObject): boolean {
  const {
    user_id,
    session_id,
    request_id,
    environment = 'production',
  } = match['metadata'] as JsonObject;
  return (
    entry.role === match['role'] &&
    entry.content === match['content'] &&
    entry.user_id === user_id &&
    entry.session_id === session_id &&
    entry.environment === environment &&
    entry.request_id === request_id
  );
}

function isKnownWord(word: string): boolean {
  return vocabulary.some((known) => known === word);
}

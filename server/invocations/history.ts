/** The earlier turns of a session: what the model gets of them, and what is stored of a new one. */
import { storable } from '../lib/text/storable.js';
import { fitHistory, messagesOf, type Turn } from '../models/history.js';
import type { Message } from '../models/model.js';
import { replayedName } from '../models/tools/tool.js';
import type { ActiveAgent } from '../agents/configurations.js';
import type { HistoryMessage, StoredCall, StoredTurn } from './sessions/history.sql.js';
import type { Completion } from './invocation.js';

type HistoryAgent = Pick<ActiveAgent, 'historyLimit' | 'options'>;

const defaultHistoryTokens = 32_000;

export interface History {
  messages: Message[];
  /** Of the turns before the messages. */
  summary: string | undefined;
}

/** How many exchanges to read. A summary stands in one that the model no longer gets. */
export function exchangesToRead({ historyLimit, options }: HistoryAgent): number {
  return options.summarize ? 2 * historyLimit : historyLimit;
}

export function historyOf(stored: readonly HistoryMessage[], agent: HistoryAgent): History {
  const { summary, turns } = sinceSummary(stored, agent);
  return { messages: messagesOf(fitHistory(turns, limitsOf(agent))), summary };
}

/** Turns that a summary is to contain, in addition to the summary before. */
export interface Folding {
  earlier: string | undefined;
  turns: Turn[];
  /** The last of them, whose row gets the summary. */
  answerId: string;
}

/** Part of the limit: a summary is written before turns are left out. */
const fullness = 0.75;

/** The older half of the turns since the last summary, once they nearly fill the history or did not fit. */
export function foldingOf(
  stored: readonly HistoryMessage[],
  agent: HistoryAgent,
  { turnsLeftOut }: { turnsLeftOut: number },
): Folding | undefined {
  const { summary, turns } = sinceSummary(stored, agent);
  const { turns: max, tokens } = limitsOf(agent);
  const soon = { turns: Math.floor(fullness * max), tokens: fullness * tokens };
  const isFull = turnsLeftOut > 0 || fitHistory(turns, soon).length < turns.length;
  const older = turns.slice(0, Math.ceil(turns.length / 2));
  const answerId = older.at(-1)?.answerId;
  return isFull && answerId !== undefined
    ? { earlier: summary, turns: older, answerId }
    : undefined;
}

function limitsOf({ historyLimit, options }: HistoryAgent) {
  return { turns: historyLimit, tokens: options.historyTokens ?? defaultHistoryTokens };
}

interface StoredTurnOfSession extends Turn {
  /** Undefined if the answer is missing. */
  answerId: string | undefined;
  summary: string | undefined;
}

/** The summary, if the agent has one, and the turns after it. */
function sinceSummary(stored: readonly HistoryMessage[], { options }: HistoryAgent) {
  const turns = turnsOf(stored);
  if (!options.summarize) return { turns, summary: undefined };
  const last = turns.findLastIndex(({ summary }) => summary !== undefined);
  return { turns: turns.slice(last + 1), summary: turns[last]?.summary };
}

function turnsOf(stored: readonly HistoryMessage[]): StoredTurnOfSession[] {
  return stored.flatMap(({ id, role, content }, index) => {
    if (role !== 'user') return [];
    const next = stored[index + 1];
    const answer = next?.role === 'agent' ? next : undefined;
    const { calls, isCut, summary } = answer?.turn ?? {};
    return [
      {
        id,
        message: content,
        answer: { role: 'agent' as const, content: answer?.content ?? '', calls, isCut },
        answerId: answer?.id,
        summary,
      },
    ];
  });
}

/** Enough to know what was done; longer results are rarely needed again. */
const maxStoredLength = 2_000;
const maxStoredCalls = 50;

/** Null if there is nothing to store besides the messages. */
export function storedTurn(
  requestId: string,
  { steps, finishReason }: Pick<Completion, 'steps' | 'finishReason'>,
): StoredTurn | null {
  const calls = steps
    .flatMap((step) => ('results' in step ? step.results : []))
    .map(({ call, succeeded, text }, index) => ({
      // Providers reject a conversation in which two calls have the same id.
      id: `call_${requestId.slice(-26)}_${index + 1}`,
      // As it will be sent back. Names of unknown tools may contain what PostgreSQL does not store.
      name: replayedName(call.name),
      arguments: storedArguments(call),
      succeeded,
      result: shortened(text),
    }))
    .slice(-maxStoredCalls);
  const isCut = finishReason === 'length';
  if (calls.length === 0 && !isCut) return null;
  return { ...(calls.length > 0 ? { calls } : {}), ...(isCut ? { isCut } : {}) };
}

function storedArguments({
  arguments: args,
  malformed,
}: {
  arguments: unknown;
  malformed?: string | undefined;
}): object {
  if (malformed !== undefined) return { malformed: shortened(malformed) };
  const text = JSON.stringify(args);
  // PostgreSQL stores neither NUL characters nor lone surrogates.
  const isStorable = text.length <= maxStoredLength && !/\\u(?:0000|d[89a-f])/i.test(text);
  return isStorable && typeof args === 'object' && args !== null
    ? args
    : { shortened: shortened(text) };
}

function shortened(text: string): StoredCall['result'] {
  const kept = storable(text.slice(0, maxStoredLength));
  return text.length > maxStoredLength ? `${kept}\n[cut: ${text.length} characters in all]` : kept;
}

/** The earlier turns of a session: what the model gets of them, and what is stored of a new one. */
import { fitHistory, messagesOf, type Turn } from '../../runtime/history.js';
import type { Message } from '../../runtime/model.js';
import type { ActiveAgent } from '../../store/agents/agents.js';
import type { HistoryMessage, StoredCall, StoredTurn } from '../../store/sessions/sessions.js';
import type { Completion } from './invocation.js';

const defaultHistoryTokens = 32_000;

export function historyOf(
  messages: readonly HistoryMessage[],
  { historyLimit, options }: Pick<ActiveAgent, 'historyLimit' | 'options'>,
): Message[] {
  const tokens = options.historyTokens ?? defaultHistoryTokens;
  return messagesOf(fitHistory(turnsOf(messages), { turns: historyLimit, tokens }));
}

function turnsOf(messages: readonly HistoryMessage[]): Turn[] {
  return messages.flatMap(({ id, role, content }, index) => {
    if (role !== 'user') return [];
    const next = messages[index + 1];
    const answer = next?.role === 'agent' ? next : undefined;
    return [
      {
        id,
        message: content,
        answer: {
          role: 'agent' as const,
          content: answer?.content ?? '',
          calls: answer?.turn?.calls,
          isCut: answer?.turn?.isCut,
        },
      },
    ];
  });
}

/** Enough to know what was done; longer results are rarely needed again. */
const maxStoredLength = 2_000;
const maxStoredCalls = 50;

/** Undefined if there is nothing to store besides the messages. */
export function storedTurn(
  requestId: string,
  { steps, finishReason }: Pick<Completion, 'steps' | 'finishReason'>,
): StoredTurn | undefined {
  const calls = steps
    .flatMap((step) => ('results' in step ? step.results : []))
    .map(({ call, succeeded, text }, index) => ({
      // Providers reject a conversation in which two calls have the same id.
      id: `call_${requestId.slice(-26)}_${index + 1}`,
      name: call.name,
      arguments: storedArguments(call),
      succeeded,
      result: shortened(text),
    }))
    .slice(-maxStoredCalls);
  const isCut = finishReason === 'length';
  if (calls.length === 0 && !isCut) return undefined;
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
  const text = JSON.stringify(args) ?? '';
  // PostgreSQL stores neither NUL characters nor lone surrogates.
  const isStorable = text.length <= maxStoredLength && !/\\u(?:0000|d[89a-f])/i.test(text);
  return isStorable && typeof args === 'object' && args !== null
    ? args
    : { shortened: shortened(text) };
}

function shortened(text: string): StoredCall['result'] {
  const kept = text.slice(0, maxStoredLength).replaceAll('\0', '\uFFFD').toWellFormed();
  return text.length > maxStoredLength ? `${kept}\n[cut: ${text.length} characters in all]` : kept;
}

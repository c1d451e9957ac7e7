/** Builds the record of an ended invocation: its row, logs, memory and event. */
import type { AgentCompletedEvent, AgentFailedEvent, Invocation } from '../../generated/api.js';
import { constraints } from '../../generated/constraints.js';
import { newId } from '../lib/data/typeid.js';
import { currentDate } from '../lib/time/clock.js';
import type { EventRecord, InvocationRecord } from './record-rows.js';
import { storedTurn } from './history.js';
import {
  type Completion,
  type InvocationInput,
  type InvocationOutcome,
  isRemembered,
  type RunResult,
} from './invocation.js';

/** The outcome of an invocation that ends now. */
export function outcomeOf(
  { createdAt }: InvocationInput,
  result: RunResult,
  { tokensUsed, hasActed }: Pick<InvocationOutcome, 'tokensUsed' | 'hasActed'>,
): InvocationOutcome {
  const finishedAt = currentDate();
  const durationMs = durationBetween(createdAt, finishedAt);
  return { tokensUsed, hasActed, finishedAt, durationMs, ...result };
}

/** Clamped to the range of the contract, in case the clock was changed in the meantime. */
function durationBetween(start: Date, end: Date): number {
  const { minimum, maximum } = constraints.DurationMs;
  return Math.min(maximum, Math.max(minimum, end.getTime() - start.getTime()));
}

interface RecordParts extends Pick<InvocationRecord, 'logs'> {
  invocation: InvocationInput;
  outcome: InvocationOutcome;
  /** Those that recording the outcome releases or completes, if the invocation still holds them. */
  leases: Pick<InvocationRecord, 'sessionOwner' | 'worker' | 'idempotency'>;
  /** The trace that deliveries of the event continue. */
  traceContext: string | null;
}

/** Here and in the other hot paths, spreads come last: V8 adds properties to a copy of an object many times more slowly. */
export function recordOf({
  invocation,
  outcome,
  logs,
  leases,
  traceContext,
}: RecordParts): InvocationRecord {
  const { agent } = invocation;
  const completion = 'completion' in outcome ? outcome.completion : undefined;
  const remember = isRemembered(invocation);
  return {
    deploymentId: agent.deploymentId,
    model: completion?.model ?? agent.model,
    status: completion ? 'succeeded' : 'failed',
    remember,
    tokensUsed: completion?.tokensUsed ?? outcome.tokensUsed,
    durationMs: outcome.durationMs,
    errorCode: 'failure' in outcome ? outcome.failure.code : null,
    finishedAt: outcome.finishedAt,
    logs,
    // A failed exchange is not remembered, since a retry would repeat its message in the history.
    memory: completion && remember ? exchangeOf(invocation, completion) : [],
    event: { traceContext, ...eventOf(invocation, outcome) },
    ...leases,
    ...invocation,
  };
}

function exchangeOf(
  { id, message, sessionId }: InvocationInput,
  completion: Completion,
): InvocationRecord['memory'] {
  const turn = sessionId === null ? null : storedTurn(id, completion);
  return [
    { id: newId('mem'), role: 'user', content: message, turn: null },
    { id: newId('mem'), role: 'agent', content: completion.response, turn },
  ];
}

/** How an invocation ended, as its response and its event say it. */
export function endingOf({
  finishReason,
  usage,
}: Completion): Pick<Invocation, 'status' | 'finish_reason' | 'usage'> {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  const reported = {
    ...(inputTokens === undefined ? {} : { input_tokens: inputTokens }),
    ...(outputTokens === undefined ? {} : { output_tokens: outputTokens }),
    ...(cachedInputTokens === undefined ? {} : { cached_input_tokens: cachedInputTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoning_tokens: reasoningTokens }),
  };
  return {
    status: 'completed',
    finish_reason: finishReason,
    ...(Object.keys(reported).length === 0 ? {} : { usage: reported }),
  };
}

function eventOf(
  { id: request_id, agent }: InvocationInput,
  outcome: InvocationOutcome,
): Omit<EventRecord, 'traceContext'> {
  const id = newId('evt');
  const created_at = outcome.finishedAt.toISOString();
  const event: AgentCompletedEvent | AgentFailedEvent =
    'completion' in outcome
      ? {
          id,
          created_at,
          type: 'agent.completed',
          data: {
            agent_id: agent.id,
            request_id,
            response: outcome.completion.response,
            tokens_used: outcome.completion.tokensUsed,
            duration_ms: outcome.durationMs,
            ...endingOf(outcome.completion),
          },
        }
      : {
          id,
          created_at,
          type: 'agent.failed',
          data: {
            agent_id: agent.id,
            request_id,
            error: { code: outcome.failure.code, message: outcome.failure.message },
          },
        };
  return { id, type: event.type, body: JSON.stringify(event) };
}

/** Builds the record of an ended invocation: its row, logs, memory and event. */
import type { AgentCompletedEvent, AgentFailedEvent, Invocation } from '../../../generated/api.js';
import { newId } from '../../lib/data/typeid.js';
import type {
  EventRecord,
  InvocationRecord,
  KeySettlement,
  LogRecord,
} from '../../store/invocations/record.js';
import { storedTurn } from './history.js';
import {
  type Completion,
  type InvocationInput,
  type InvocationOutcome,
  isRemembered,
} from './invocation.js';

/** The leases that recording the outcome releases or completes, if the invocation still holds them. */
interface HeldLeases {
  sessionOwner: string | null;
  worker: string | null;
  idempotency: KeySettlement | null;
}

export function recordOf(
  invocation: InvocationInput,
  outcome: InvocationOutcome,
  logs: LogRecord[],
  leases: HeldLeases,
  traceContext?: string,
): InvocationRecord {
  const { id, agent, userId, sessionId, context, createdBy, createdAt } = invocation;
  const completion = 'completion' in outcome ? outcome.completion : undefined;
  const remember = isRemembered(invocation);
  return {
    id,
    agentId: agent.id,
    accountId: agent.accountId,
    deploymentId: agent.deploymentId,
    model: completion?.model ?? agent.model,
    status: completion ? 'succeeded' : 'failed',
    userId,
    sessionId,
    context,
    remember,
    tokensUsed: completion?.tokensUsed ?? outcome.tokensUsed,
    durationMs: outcome.durationMs,
    errorCode: 'failure' in outcome ? outcome.failure.code : null,
    createdBy,
    createdAt,
    finishedAt: outcome.finishedAt,
    logs,
    // A failed exchange is not remembered, since a retry would repeat its message in the history.
    memory:
      completion && remember
        ? [
            { id: newId('mem'), role: 'user', content: invocation.message },
            {
              id: newId('mem'),
              role: 'agent',
              content: completion.response,
              turn: sessionId === null ? undefined : storedTurn(id, completion),
            },
          ]
        : [],
    event: { ...eventOf(invocation, outcome), traceContext },
    ...leases,
  };
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
): EventRecord {
  const common = { id: newId('evt'), created_at: outcome.finishedAt.toISOString() };
  const event: AgentCompletedEvent | AgentFailedEvent =
    'completion' in outcome
      ? {
          ...common,
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
          ...common,
          type: 'agent.failed',
          data: {
            agent_id: agent.id,
            request_id,
            error: { code: outcome.failure.code, message: outcome.failure.message },
          },
        };
  return { id: event.id, type: event.type, body: JSON.stringify(event) };
}

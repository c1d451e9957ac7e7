/** Puts together everything that is written down about an invocation that has ended. */
import type { AgentCompletedEvent, AgentFailedEvent } from '../../../generated/api.js';
import { newId } from '../../lib/typeid.js';
import type {
  EventRecord,
  InvocationRecord,
  KeySettlement,
  LogRecord,
} from '../../store/record-invocation.js';
import type { InvocationInput, InvocationOutcome } from './invocation.js';

export interface HeldLeases {
  sessionOwner: string | null;
  worker: string | null;
  idempotency: KeySettlement | null;
}

export function recordOf(
  invocation: InvocationInput,
  outcome: InvocationOutcome,
  logs: LogRecord[],
  holdings: HeldLeases,
): InvocationRecord {
  const { id, agent, userId, sessionId, context, createdBy, createdAt } = invocation;
  const answer = 'completion' in outcome ? outcome.completion : undefined;
  return {
    id,
    agentId: agent.id,
    accountId: agent.accountId,
    deploymentId: agent.deploymentId,
    status: answer ? 'succeeded' : 'failed',
    userId,
    sessionId,
    context,
    tokensUsed: answer?.tokensUsed ?? null,
    durationMs: outcome.durationMs,
    errorCode: 'failure' in outcome ? outcome.failure.code : null,
    createdBy,
    createdAt,
    finishedAt: outcome.finishedAt,
    logs,
    // A turn that was not answered did not take place: whoever repeats the message must not have said it twice.
    memory: answer
      ? [
          { id: newId('mem'), role: 'user', content: invocation.message },
          { id: newId('mem'), role: 'agent', content: answer.response },
        ]
      : [],
    event: eventOf(invocation, outcome),
    ...holdings,
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

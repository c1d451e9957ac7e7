/** Invoke Agent, in its three forms: plain, streamed and asynchronous. */
import type { Invocation } from '../../generated/api.js';
import { agentNotFound, userOf } from '../domain/caller.js';
import { tooManyInvocations } from '../domain/errors.js';
import { errorOf, type EventSink } from '../domain/invocations/invocations.js';
import {
  type InvocationInput,
  type InvocationOutcome,
  type InvocationResult,
  isRemembered,
} from '../domain/invocations/invocation.js';
import { endingOf } from '../domain/invocations/record.js';
import { parsePreferences } from '../lib/net/preferences.js';
import { currentDate } from '../lib/time/clock.js';
import { formatTraceParent } from '../lib/net/trace-parent.js';
import { enqueue } from '../store/invocations/queue.js';
import type { KeySettlement } from '../store/invocations/record.js';
import type { IdempotencyClaim, OperationContext } from './context.js';
import type { Input, Operations } from './contract.js';
import { type Run, stream, streamResumably } from './invocation-stream.js';
import { ok } from './response.js';
import type { Services } from './services.js';

export function invokeOperations({ invocations, streams }: Services) {
  return {
    invokeAgent: async (input, context) => {
      const { caller, prefersEvents, idempotencyClaim: claim } = context;
      const agent = await invocations.resolveAgent(caller, input.path.agent_id);
      const invocation = { ...invocationOf(input, context), agent };
      const preferences = parsePreferences(input.headers.prefer);
      if (preferences.has('respond-async')) return enqueueInvocation(invocation, context);
      context.releaseSlot();
      const runFor = async (
        { onDisconnect }: Pick<OperationContext, 'onDisconnect'>,
        sink?: EventSink,
      ) =>
        invocations.run(invocation, {
          onDisconnect,
          onClose: context.onClose,
          maxConcurrent: caller.limits.concurrentInvocations,
          settleKey: (outcome) => settlementOf(claim, invocation.id, outcome),
          sink,
        });
      if (!prefersEvents) return presentResult(await runFor(context));
      const run: Run = async (sink, client) => presentInvocation(await runFor(client, sink));
      if (!claim) return stream(run, context);
      const hasGrace = preferences.get('grace') !== '0';
      const recorded = {
        agentId: agent.id,
        timeoutMs: agent.timeoutMs,
        isRemembered: isRemembered(invocation),
      };
      return streamResumably(run, context, { streams, claim, invocation: recorded, hasGrace });
    },
  } satisfies Partial<Operations<OperationContext>>;
}

export function presentResult(result: InvocationResult) {
  return { ...ok(presentInvocation(result)), isMemoryReserved: true };
}

function presentInvocation(result: InvocationResult): Invocation {
  return {
    response: result.response,
    request_id: result.requestId,
    tokens_used: result.tokensUsed,
    duration_ms: result.durationMs,
    ...endingOf(result),
  };
}

function invocationOf(
  { body: { message, context } }: Input<'invokeAgent'>,
  { requestId, trace, caller }: OperationContext,
): Omit<InvocationInput, 'agent'> {
  const userId = userOf(caller, context?.user_id, 'context.user_id') ?? null;
  return {
    id: requestId,
    message,
    // An HTTP agent can trust this user id, because it comes from a verified token.
    context: caller.userId === null ? (context ?? null) : { ...context, user_id: caller.userId },
    userId,
    sessionId: context?.session_id ?? null,
    createdBy: caller.keyId,
    createdAt: currentDate(),
    trace,
  };
}

/** A failure releases the key, so that the request can be retried, unless tools have been called. Everything else is stored under it. */
function settlementOf(
  claim: IdempotencyClaim | undefined,
  requestId: string,
  outcome: InvocationOutcome,
): KeySettlement | null {
  if (!claim) return null;
  const { id, owner, seal, sealError } = claim;
  if ('failure' in outcome) {
    const response = outcome.hasActed ? sealError(errorOf(outcome.failure)) : null;
    return { id, owner, response };
  }
  const { completion, durationMs } = outcome;
  return { id, owner, response: seal(presentResult({ ...completion, requestId, durationMs })) };
}

function enqueueInvocation(
  { agent, trace, ...invocation }: InvocationInput,
  { caller, commit, idempotencyClaim }: OperationContext,
) {
  const { asyncInvocations } = caller.limits;
  return commit(async (transaction) => {
    const queued = {
      ...invocation,
      agentId: agent.id,
      accountId: agent.accountId,
      idempotencyId: idempotencyClaim?.id ?? null,
      traceContext: trace ? formatTraceParent(trace) : null,
    };
    const result = await enqueue(transaction, queued, asyncInvocations);
    if (result === 'agent_gone') throw agentNotFound(agent.name);
    if (result === 'too_many') {
      throw tooManyInvocations('asynchronous invocations waiting or running', asyncInvocations);
    }
    return {
      status: 202,
      headers: { 'Preference-Applied': 'respond-async' },
      body: { success: true, data: { request_id: invocation.id } },
    } as const;
  });
}

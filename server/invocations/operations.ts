/** Invoke Agent, in its three forms: plain, streamed and asynchronous. */
import { agentNotFound, userOf } from '../accounts/caller.js';
import { tooManyInvocations } from '../contract/errors.js';
import type { InvocationInput } from './invocation.js';
import { presentInvocation } from './record.js';
import { parsePreferences } from '../lib/net/preferences.js';
import { currentDate } from '../lib/time/clock.js';
import { formatTraceParent } from '../lib/net/trace-parent.js';
import type { ActiveAgent } from '../agents/configurations.js';
import { enqueueInvocation } from './queue.sql.js';
import type { OperationContext } from '../accounts/operation-context.js';
import type { Input, Operations } from '../contract/operations.js';
import { type RunStreamed, stream, streamResumably } from './streams/invocation-stream.js';
import { ok } from '../contract/response.js';
import type { Invocations } from './invocations.js';
import type { Streams } from './streams/streams.js';

interface InvokeParts {
  invocations: Invocations;
  streams: Streams;
}

export function invokeOperations({ invocations, streams }: InvokeParts) {
  return {
    invokeAgent: async (input, context) => {
      const { caller, prefersEvents, idempotencyClaim: claim } = context;
      const agent = await invocations.resolveAgent(caller, input.path.agent_id);
      const invocation = invocationOf(input, agent, context);
      const preferences = parsePreferences(input.headers.prefer);
      if (preferences.has('respond-async')) return respondAsync(invocation, context);
      context.releaseSlot();
      const options = {
        key: claim ?? null,
        onClose: context.onClose,
        maxConcurrent: caller.limits.concurrentInvocations,
      };
      if (!prefersEvents) {
        const { onDisconnect } = context;
        const result = await invocations.run(invocation, { ...options, onDisconnect });
        return { ...ok(presentInvocation(result)), isMemoryReserved: true };
      }
      const run: RunStreamed = async (streamed) =>
        presentInvocation(await invocations.run(invocation, { ...options, ...streamed }));
      if (!claim) return stream(run, context);
      const hasGrace = preferences.get('grace') !== '0';
      return streamResumably({ run, context, streams, claim, invocation, hasGrace });
    },
  } satisfies Partial<Operations<OperationContext>>;
}

function invocationOf(
  { body: { message, context } }: Input<'invokeAgent'>,
  agent: ActiveAgent,
  { requestId, trace, caller }: OperationContext,
): InvocationInput {
  const userId = userOf(caller, context?.user_id, 'context.user_id') ?? null;
  return {
    id: requestId,
    accountId: agent.accountId,
    agentId: agent.id,
    agent,
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

function respondAsync(
  { agent, trace, ...invocation }: InvocationInput,
  { caller, commit, idempotencyClaim }: OperationContext,
) {
  const { asyncInvocations } = caller.limits;
  return commit(async (transaction) => {
    const queued = {
      ...invocation,
      idempotencyId: idempotencyClaim?.id ?? null,
      traceContext: trace ? formatTraceParent(trace) : null,
    };
    const result = await enqueueInvocation(transaction, queued, asyncInvocations);
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

/** Invoke Agent, in its three forms: plain, streamed and asynchronous. */
import type { Invocation, InvocationEvent } from '../../generated/api.js';
import { agentNotFound, userOf } from '../domain/caller.js';
import { tooManyInvocations } from '../domain/errors.js';
import type {
  InvocationInput,
  InvocationOutcome,
  InvocationResult,
} from '../domain/invocations/invocation.js';
import type { CallOptions } from '../domain/invocations/invocations.js';
import { createEventQueue } from '../lib/event-queue.js';
import { parsePreferences } from '../lib/preferences.js';
import { enqueue } from '../store/invocation-queue.js';
import type { KeySettlement } from '../store/record-invocation.js';
import type { IdempotencyClaim, OperationContext } from './context.js';
import type { Input, Operations } from './contract.js';
import { ok } from './response.js';
import type { Services } from './services.js';

export function invokeOperations({ invocations }: Services) {
  return {
    invokeAgent: async (input, context) => {
      const { caller, prefersEvents } = context;
      const agent = await invocations.resolveAgent(caller, input.path.agent_id);
      const invocation = { ...invocationOf(input, context), agent };
      if (parsePreferences(input.headers.prefer).has('respond-async')) {
        return enqueueInvocation(invocation, context);
      }
      context.releaseSlot();
      const run = (sink?: EventSink) =>
        invocations.run(invocation, {
          onDisconnect: context.onDisconnect,
          onClose: context.onClose,
          maxConcurrent: caller.limits.concurrentInvocations,
          settleKey: (outcome) => settlementOf(context.idempotencyClaim, invocation.id, outcome),
          ...sink,
        });
      return prefersEvents ? stream(run) : presentResult(await run());
    },
  } satisfies Partial<Operations<OperationContext>>;
}

export function presentResult(result: InvocationResult) {
  return ok(presentInvocation(result));
}

function presentInvocation(result: InvocationResult): Invocation {
  return {
    response: result.response,
    request_id: result.requestId,
    tokens_used: result.tokensUsed,
    duration_ms: result.durationMs,
  };
}

function invocationOf(
  { body: { message, context } }: Input<'invokeAgent'>,
  { requestId, caller }: OperationContext,
): Omit<InvocationInput, 'agent'> {
  const userId = userOf(caller, context?.user_id, 'context.user_id') ?? null;
  return {
    id: requestId,
    message,
    // An agent of one's own can rely on the user of a token: nobody else could have named it.
    context: caller.userId === null ? (context ?? null) : { ...context, user_id: caller.userId },
    userId,
    sessionId: context?.session_id ?? null,
    createdBy: caller.keyId,
    createdAt: new Date(),
  };
}

/** A completion is stored under the key; a failure releases the key, so that the request can be retried. */
function settlementOf(
  claim: IdempotencyClaim | undefined,
  requestId: string,
  outcome: InvocationOutcome,
): KeySettlement | null {
  if (!claim) return null;
  const { id, owner, seal } = claim;
  if ('failure' in outcome) return { id, owner, response: null };
  const { completion, durationMs } = outcome;
  return { id, owner, response: seal(presentResult({ ...completion, requestId, durationMs })) };
}

function enqueueInvocation(
  { agent, ...invocation }: InvocationInput,
  { caller, commit, idempotencyClaim }: OperationContext,
) {
  const { asyncInvocations } = caller.limits;
  return commit(async (transaction) => {
    const queued = {
      ...invocation,
      agentId: agent.id,
      accountId: agent.accountId,
      idempotencyId: idempotencyClaim?.id ?? null,
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

type EventSink = Required<Pick<CallOptions, 'onText' | 'onTool'>>;

/**
 * Events are queued, so that a slow client does not slow down the invocation. A failure before the first event is
 * thrown, and becomes an ordinary error response.
 */
async function stream(run: (sink: EventSink) => Promise<InvocationResult>) {
  const events = createEventQueue<InvocationEvent>();
  run({
    onText: (text) => {
      events.push({ event: 'delta', data: { text } });
    },
    onTool: (data) => {
      events.push({ event: 'tool', data });
    },
  }).then((result) => {
    events.push({ event: 'done', data: presentInvocation(result) });
    events.end();
  }, events.fail);
  await events.ready();
  return { status: 200, events } as const;
}

/** Invoke Agent, in its three forms: plain, streamed and asynchronous. */
import type { InvocationEvent, Invocation as PublicResult } from '../../generated/api.js';
import { agentNotFound } from '../domain/caller.js';
import type { Invocation, InvocationResult, Outcome } from '../domain/invocations/invocations.js';
import { createEventQueue } from '../lib/event-queue.js';
import { enqueue } from '../store/invocation-queue.js';
import type { KeySettlement } from '../store/record-invocation.js';
import type { HeldKey, OperationContext } from './context.js';
import type { Input, Operations } from './contract.js';
import type { Services } from './services.js';

export function invokeOperations({ invocations }: Services) {
  return {
    invokeAgent: async (input, context) => {
      const { caller, prefersEvents } = context;
      const agent = await invocations.agentFor(caller, input.path.agent_id);
      const invocation = { ...requested(input, context), agent };
      if (prefersAsync(input.headers.prefer)) return accept(invocation, context);
      const run = (onText?: (text: string) => void) =>
        invocations.run(invocation, {
          onDisconnect: context.onDisconnect,
          settleKey: (outcome) => settlementOf(context.heldKey, invocation.id, outcome),
          ...(onText && { onText }),
        });
      return prefersEvents ? stream(run) : presentResult(await run());
    },
  } satisfies Partial<Operations<OperationContext>>;
}

export function presentResult(result: InvocationResult) {
  return { status: 200, body: { success: true, data: publicResult(result) } } as const;
}

function publicResult(result: InvocationResult): PublicResult {
  return {
    response: result.response,
    request_id: result.requestId,
    tokens_used: result.tokensUsed,
    duration_ms: result.durationMs,
  };
}

function requested(
  { body: { message, context } }: Input<'invokeAgent'>,
  { requestId, caller }: OperationContext,
): Omit<Invocation, 'agent'> {
  return {
    id: requestId,
    message,
    context: context ?? null,
    userId: context?.user_id ?? null,
    sessionId: context?.session_id ?? null,
    createdBy: caller.keyId,
    createdAt: new Date(),
  };
}

/** Whether `respond-async` is among the preferences of RFC 7240. */
function prefersAsync(prefer = ''): boolean {
  const names = prefer
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
    .split(',')
    .map((preference) => preference.split(/[;=]/)[0]?.trim().toLowerCase());
  return names.includes('respond-async');
}

/** An answer is kept under the key; after a failure the key is free for another try. */
function settlementOf(
  key: HeldKey | undefined,
  requestId: string,
  outcome: Outcome,
): KeySettlement | null {
  if (!key) return null;
  const { id, owner, seal } = key;
  if ('failure' in outcome) return { id, owner, response: null };
  const { completion: answer, durationMs } = outcome;
  return { id, owner, response: seal(presentResult({ ...answer, requestId, durationMs })) };
}

function accept({ agent, ...invocation }: Invocation, { commit, heldKey }: OperationContext) {
  return commit(async (transaction) => {
    const queued = await enqueue(transaction, {
      ...invocation,
      agentId: agent.id,
      idempotencyId: heldKey?.id ?? null,
    });
    if (!queued) throw agentNotFound(agent.name);
    return {
      status: 202,
      headers: { 'Preference-Applied': 'respond-async' },
      body: { success: true, data: { request_id: invocation.id } },
    } as const;
  });
}

/**
 * The invocation goes on at its own speed, however slowly the client reads. What fails before the first text is
 * thrown, so that it becomes an ordinary error answer.
 */
async function stream(run: (onText: (text: string) => void) => Promise<InvocationResult>) {
  const events = createEventQueue<InvocationEvent>();
  run((text) => {
    events.push({ event: 'delta', data: { text } });
  }).then((result) => {
    events.push({ event: 'done', data: publicResult(result) });
    events.end();
  }, events.fail);
  await events.ready();
  return { status: 200, events } as const;
}

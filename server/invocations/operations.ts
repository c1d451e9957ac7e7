/** Invoke Agent, in its three forms: plain, streamed and asynchronous. */
import type { InvocationResume } from '../../generated/api.js';
import { agentNotFound, userOf } from '../accounts/caller.js';
import { requestInProgress, tooManyInvocations } from '../contract/errors.js';
import { longestWaitMs } from '../contract/agent-options.js';
import { keepLonger } from '../idempotency/records.js';
import { keepKeys } from '../idempotency/records.sql.js';
import type { Secrets } from '../installation/key-ring.js';
import type { Database, Transaction } from '../postgres/database.js';
import { decide, goingOn } from './approvals.js';
import { stepsMissing } from './failure.js';
import { assertNoLoop } from './hops.js';
import type { Failure, InvocationInput } from './invocation.js';
import { presentInvocation } from './record.js';
import { parsePreferences } from '../lib/net/preferences.js';
import { currentDate } from '../lib/time/clock.js';
import { formatTraceParent } from '../lib/net/trace-parent.js';
import type { ActiveAgent } from '../agents/configurations.js';
import { enqueueInvocation } from './queue.sql.js';
import type { Claim, OperationContext } from '../accounts/operation-context.js';
import type { Input, Operations } from '../contract/operations.js';
import { type RunStreamed, stream, streamResumably } from './streams/invocation-stream.js';
import { ok } from '../contract/response.js';
import type { Admission, Invocations } from './invocations.js';
import type { CommittedRun } from './steps.js';
import type { Streams } from './streams/streams.js';

interface InvokeParts {
  invocations: Invocations;
  streams: Streams;
  database: Database;
  secrets: Secrets;
}

export function invokeOperations({ invocations, streams, database, secrets }: InvokeParts) {
  /** The invocation that the request runs: a new one, or one that goes on. */
  const find = async (
    invocation: InvocationInput,
    { body: { resume } }: Input<'invokeAgent'>,
    { caller, idempotencyClaim: claim }: OperationContext,
    hold: Admission['hold'],
  ): Promise<BegunInvocation> => {
    const { accountId } = invocation;
    if (claim && claim.requestId !== null) {
      const { requestId: id } = claim;
      const committed = await invocations.readRun({ accountId, requestId: id });
      if (!committed) return { invocation: { ...invocation, id }, rejection: stepsMissing };
      hold(committed);
      return { invocation: { ...goingOn(invocation, committed), id }, committed };
    }
    if (!resume) return { invocation };
    const committed = await database.transaction(async (transaction) => {
      const run = await decide(transaction, secrets, { invocation, caller, resume });
      hold(run);
      if (claim) await keepKey(transaction, claim, invocation.id);
      return run;
    });
    return { invocation: goingOn(invocation, committed), committed };
  };

  /** Reserves room first: without an Idempotency-Key, decisions cannot be repeated. */
  const begin = async (input: Input<'invokeAgent'>, context: OperationContext) => {
    const { caller } = context;
    const agent = await invocations.resolveAgent(caller, input.path.agent_id);
    const invocation = invocationOf(input, agent, context);
    const admission = invocations.admit(invocation, caller.limits.concurrentInvocations);
    try {
      return { ...(await find(invocation, input, context, admission.hold)), admission };
    } catch (error) {
      admission.leave();
      admission.memory.release();
      throw error;
    }
  };

  return {
    invokeAgent: async (input, context) => {
      const { caller, prefersEvents, idempotencyClaim: claim } = context;
      assertNoLoop(context.hops);
      const preferences = parsePreferences(input.headers.prefer);
      // What has acted goes on in this request, whatever the first one preferred.
      const hasActed = claim !== undefined && claim.requestId !== null;
      if (preferences.has('respond-async') && !hasActed) {
        const agent = await invocations.resolveAgent(caller, input.path.agent_id);
        const invocation = invocationOf(input, agent, context);
        return respondAsync({ invocation, resume: input.body.resume }, context, secrets);
      }
      const { invocation, ...how } = await begin(input, context);
      context.releaseSlot();
      const options = {
        key: claim ?? null,
        onClose: context.onClose,
        ...how,
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

interface BegunInvocation {
  invocation: InvocationInput;
  committed?: CommittedRun;
  rejection?: Failure;
}

function invocationOf(
  { body: { message, context } }: Input<'invokeAgent'>,
  agent: ActiveAgent,
  { requestId, trace, caller, hops }: OperationContext,
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
    hops,
  };
}

/** From now on, a repeat goes on with the invocation. */
async function keepKey(
  transaction: Transaction,
  { accountId, id, owner }: Claim,
  requestId: string,
): Promise<void> {
  const kept = await keepKeys(transaction, accountId, [{ id, owner, requestId }]);
  if (kept === 0) throw requestInProgress();
}

interface AsyncRequest {
  invocation: InvocationInput;
  resume: InvocationResume | undefined;
}

function respondAsync(
  { invocation, resume }: AsyncRequest,
  { caller, commit, idempotencyClaim }: OperationContext,
  secrets: Secrets,
) {
  const { asyncInvocations } = caller.limits;
  return commit(async (transaction) => {
    const run = resume && (await decide(transaction, secrets, { invocation, caller, resume }));
    const { agent, trace, ...request } = run ? goingOn(invocation, run) : invocation;
    const queued = {
      ...request,
      hops: request.hops ?? 0,
      hasActed: run !== undefined,
      idempotencyId: idempotencyClaim?.id ?? null,
      traceContext: trace ? formatTraceParent(trace) : null,
    };
    if (idempotencyClaim && agent.timeoutMs > longestWaitMs) {
      await keepLonger(transaction, idempotencyClaim, agent.timeoutMs);
    }
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

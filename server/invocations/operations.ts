/** Invoke Agent, in its three forms: plain, streamed and asynchronous. */
import type { InvocationRequest } from '../../generated/api.js';
import { agentNotFound, type Caller, userOf } from '../accounts/caller.js';
import { storedEnvironment } from '../contract/environments.js';
import { requestInProgress, tooManyInvocations } from '../contract/errors.js';
import { longestWaitMs } from '../contract/agent-options.js';
import { keepLonger } from '../idempotency/records.js';
import { keepKeys } from '../idempotency/records.sql.js';
import type { Secrets } from '../installation/key-ring.js';
import type { Database, Transaction } from '../postgres/database.js';
import { decide, goingOn, onlyProduction } from './approvals.js';
import { stepsMissing } from './failure.js';
import type { Failure, InvocationInput } from './invocation.js';
import { presentInvocation } from './record.js';
import { parsePreferences } from '../lib/net/preferences.js';
import { currentDate } from '../lib/time/clock.js';
import { formatTraceParent } from '../lib/net/trace-parent.js';
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
    { body: { resume, environment } }: Input<'invokeAgent'>,
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
      const run = await decide(transaction, secrets, { invocation, environment, caller, resume });
      hold(run);
      if (claim) await keepKey(transaction, claim, invocation.id);
      return run;
    });
    return { invocation: goingOn(invocation, committed), committed };
  };

  const resolve = async (
    input: Input<'invokeAgent'>,
    context: OperationContext,
    { goesOn }: { goesOn: boolean },
  ): Promise<InvocationInput> => {
    const { caller } = context;
    const environment = environmentOf(input, caller);
    const reference = input.path.agent_id;
    const agent = await invocations.resolveAgent(caller, { reference, environment, goesOn });
    return invocationOf(input, { agent, environment }, context);
  };

  /** Reserves room first: without an Idempotency-Key, decisions cannot be repeated. */
  const begin = async (
    input: Input<'invokeAgent'>,
    context: OperationContext,
    how: { goesOn: boolean },
  ) => {
    const { caller } = context;
    const invocation = await resolve(input, context, how);
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
      const { prefersEvents, idempotencyClaim: claim } = context;
      const preferences = parsePreferences(input.headers.prefer);
      // What has acted goes on in this request, whatever the first one preferred.
      const hasActed = claim !== undefined && claim.requestId !== null;
      const { resume } = input.body;
      const goesOn = hasActed || resume !== undefined;
      if (preferences.has('respond-async') && !hasActed) {
        const invocation = await resolve(input, context, { goesOn });
        return respondAsync({ invocation, ...input.body }, context, secrets);
      }
      const { invocation, ...how } = await begin(input, context, { goesOn });
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

/** Null: production. Whoever calls with a token is a user of the agent, and gets what its owner has released. */
function environmentOf(
  { body: { environment: name } }: Input<'invokeAgent'>,
  { userId }: Caller,
): string | null {
  const environment = storedEnvironment(name);
  if (environment !== null && userId !== null) throw onlyProduction(environment);
  return environment;
}

function invocationOf(
  { body: { message, context } }: Input<'invokeAgent'>,
  { agent, environment }: Pick<InvocationInput, 'agent' | 'environment'>,
  { requestId, trace, caller }: OperationContext,
): InvocationInput {
  const userId = userOf(caller, context?.user_id, 'context.user_id') ?? null;
  return {
    id: requestId,
    accountId: agent.accountId,
    agentId: agent.id,
    environment,
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

/** From now on, a repeat goes on with the invocation. */
async function keepKey(
  transaction: Transaction,
  { accountId, id, owner }: Claim,
  requestId: string,
): Promise<void> {
  const kept = await keepKeys(transaction, accountId, [{ id, owner, requestId }]);
  if (kept === 0) throw requestInProgress();
}

interface AsyncRequest extends Pick<InvocationRequest, 'resume' | 'environment'> {
  invocation: InvocationInput;
}

function respondAsync(
  { invocation, resume, environment }: AsyncRequest,
  { caller, commit, idempotencyClaim }: OperationContext,
  secrets: Secrets,
) {
  const { asyncInvocations } = caller.limits;
  return commit(async (transaction) => {
    const run =
      resume && (await decide(transaction, secrets, { invocation, environment, caller, resume }));
    const { agent, trace, ...request } = run ? goingOn(invocation, run) : invocation;
    const queued = {
      ...request,
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

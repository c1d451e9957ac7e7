/** Invoke Agent, in its three forms: plain, streamed and asynchronous. */
import type { InvocationRequest } from '../../generated/api.js';
import type { CountStored } from '../accounts/stored-bytes.js';
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
import { assertNoLoop } from './hops.js';
import type { Failure, InvocationInput } from './invocation.js';
import { presentInvocation } from './record.js';
import { parsePreferences } from '../lib/net/preferences.js';
import { currentDate } from '../lib/time/clock.js';
import { formatTraceParent } from '../lib/net/trace-parent.js';
import { notify } from '../postgres/notify.sql.js';
import { enqueueInvocations, invocationChannel } from './queue.sql.js';
import type { Claim, OperationContext } from '../accounts/operation-context.js';
import type { Input, Operations } from '../contract/operations.js';
import { type RunStreamed, stream, streamResumably } from './streams/invocation-stream.js';
import { ok } from '../contract/response.js';
import type { Admission, Invocations } from './invocations.js';
import { callerToken } from '../models/tools/references.js';
import type { ReferenceValues } from '../models/tools/tool.js';
import { beginReferences, continueReferences, type RequestToken } from './references.js';
import { beginningOf, type CommittedRun, StepLog } from './steps.js';
import { appendSteps, sealSteps } from './steps.sql.js';
import type { Streams } from './streams/streams.js';

interface InvokeParts {
  invocations: Invocations;
  streams: Streams;
  database: Database;
  secrets: Secrets;
  countStored: CountStored;
}

export function invokeOperations(parts: InvokeParts) {
  const { invocations, streams, database, secrets } = parts;
  /** The invocation that the request runs: a new one, or one that goes on. */
  const find = async (
    invocation: InvocationInput,
    input: Input<'invokeAgent'>,
    context: OperationContext,
    hold: Admission['hold'],
  ): Promise<BegunInvocation> => {
    const { accountId } = invocation;
    const { resume, environment } = input.body;
    const { caller, idempotencyClaim: claim } = context;
    const token = tokenOf(input, context);
    if (claim && claim.requestId !== null) {
      const { requestId: id } = claim;
      const committed = await invocations.readRun({ accountId, requestId: id });
      if (!committed) {
        return { invocation: { ...invocation, id }, references: {}, rejection: stepsMissing };
      }
      hold(committed);
      const continued = { ...goingOn(invocation, committed), id };
      const references = continueReferences(continued, committed.references, token);
      return { invocation: continued, committed, references };
    }
    if (!resume) return { invocation, references: beginReferences(invocation, token) };
    const committed = await database.transaction(async (transaction) => {
      const run = await decide(transaction, secrets, {
        ...{ invocation, environment, caller, resume, token },
      });
      hold(run);
      if (claim) await keepKey(transaction, claim, invocation.id);
      return run;
    });
    const { references = {} } = committed;
    return { invocation: goingOn(invocation, committed), committed, references };
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
      assertNoLoop(context.hops);
      const preferences = parsePreferences(input.headers.prefer);
      // What has acted goes on in this request, whatever the first one preferred.
      const hasActed = claim !== undefined && claim.requestId !== null;
      const { resume } = input.body;
      const goesOn = hasActed || resume !== undefined;
      if (preferences.has('respond-async') && !hasActed) {
        const invocation = await resolve(input, context, { goesOn });
        const token = tokenOf(input, context);
        return respondAsync({ invocation, ...input.body, token }, context, parts);
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
  references: ReferenceValues;
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
  { requestId, trace, caller, hops }: OperationContext,
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
    hops,
  };
}

function tokenOf(
  { headers }: Input<'invokeAgent'>,
  { token: own }: OperationContext,
): RequestToken {
  return { sent: headers['x-tool-authorization'], own };
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
  token: RequestToken;
}

function respondAsync(
  { invocation, resume, environment, token }: AsyncRequest,
  { caller, commit, idempotencyClaim }: OperationContext,
  { secrets, countStored }: Pick<InvokeParts, 'secrets' | 'countStored'>,
) {
  const { asyncInvocations } = caller.limits;
  return commit(async (transaction) => {
    const run =
      resume &&
      (await decide(transaction, secrets, { invocation, environment, caller, resume, token }));
    const references = run ? undefined : beginReferences(invocation, token);
    // The row has the context, but never a token: the beginning of the run is stored, encrypted.
    const beginning =
      references && callerToken in references ? beginningOf(invocation, references) : undefined;
    const { agent, trace, ...request } = run ? goingOn(invocation, run) : invocation;
    const queued = {
      ...request,
      hops: request.hops ?? 0,
      hasActed: run !== undefined || beginning !== undefined,
      idempotencyId: idempotencyClaim?.id ?? null,
      traceContext: trace ? formatTraceParent(trace) : null,
      schedule: null,
    };
    if (idempotencyClaim && agent.timeoutMs > longestWaitMs) {
      await keepLonger(transaction, idempotencyClaim, agent.timeoutMs);
    }
    const [result] = await enqueueInvocations(transaction, {
      accountId: queued.accountId,
      invocations: [queued],
      maxQueued: asyncInvocations,
    });
    if (result === 'agent_gone') throw agentNotFound(agent.name);
    if (result === 'too_many') {
      throw tooManyInvocations('asynchronous invocations waiting or running', asyncInvocations);
    }
    if (beginning) {
      const log = new StepLog(0);
      log.add(beginning);
      const steps = sealSteps(secrets, invocation, log.unwritten());
      countStored(
        invocation.accountId,
        await appendSteps(transaction, invocation.accountId, steps),
      );
    }
    await notify(transaction, invocationChannel);
    return {
      status: 202,
      headers: { 'Preference-Applied': 'respond-async' },
      body: { success: true, data: { request_id: invocation.id } },
    } as const;
  });
}

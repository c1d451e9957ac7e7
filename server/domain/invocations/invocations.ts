/** The invocation service: runs invocations for callers and workers, and tracks those in flight. */
import type {
  AgentReference,
  InvocationEvent,
  InvocationToolCall,
} from '../../../generated/api.js';
import type { ActiveAgent } from '../../store/agents/agents.js';
import type { ClaimedInvocation } from '../../store/invocations/queue.js';
import type { KeySettlement } from '../../store/invocations/record.js';
import type { AgentConfigurations } from '../agents/configurations.js';
import { type Caller, requireVisible } from '../caller.js';
import type { BytesInFlight } from '../../lib/async/bytes-in-flight.js';
import { createTally } from '../../lib/async/tally.js';
import type { Trace } from '../../observability/telemetry.js';
import { parseTraceParent } from '../../lib/net/trace-parent.js';
import { ClientDisconnected, ServiceError, tooManyInvocations } from '../errors.js';
import { errorOf, interruptedAfterTools, serviceFailure, toFailure } from './failure.js';
import { type Interruptible, interruptible, Interruption } from './interruption.js';
import type {
  Failure,
  InvocationInput,
  InvocationResult,
  InvocationOutcome,
} from './invocation.js';
import { type Attempt, bytesOfInput } from './call-agent.js';
import { runInvocation, type RunOptions, type RunParts } from './run.js';

export { errorOf } from './failure.js';

interface CallOptions {
  /** Registers a listener for a client that disconnects. */
  onDisconnect: (listener: () => void) => void;
  /** Registers a listener for the end of the response, complete or not. */
  onClose: (listener: () => void) => void;
  /** How many synchronous invocations the account may run at a time on this instance. */
  maxConcurrent: number;
  /** Receives the events of a streamed invocation, except for the final one. */
  sink?: EventSink | undefined;
  settleKey: RunOptions['settleKey'];
}

export interface EventSink {
  /** Called once the account's limits have admitted the invocation. From then on, a failure is recorded. */
  admitted: () => void;
  push: (event: InvocationEvent) => void;
  /** Awaited before a completion is recorded; fails the invocation if it rejects. */
  flush?: () => Promise<void>;
  /** Awaited before a failure is recorded; never rejects. */
  fail?: (error: ReturnType<typeof errorOfCall>) => Promise<void>;
}

export interface ClaimedOptions {
  onStart: (running: Interruptible) => void;
  attempt: Attempt;
}

export interface Invocations {
  /** Resolves to the active configuration of an agent. Throws if the caller may not see the agent, or if it is stopped. */
  resolveAgent: (caller: Caller, reference: AgentReference) => Promise<ActiveAgent>;
  /** Resolves to the result once it is recorded; rejects with the error for the caller. */
  run: (invocation: InvocationInput, options: CallOptions) => Promise<InvocationResult>;
  /** Runs an invocation that a worker claimed. */
  runClaimed: (
    claimed: ClaimedInvocation,
    worker: string,
    options: ClaimedOptions,
  ) => Promise<void>;
  /** Interrupts all synchronous invocations in flight, for a shutdown. */
  interrupt: () => void;
  /** Resolves when no synchronous invocation is in flight. */
  idle: () => Promise<void>;
}

export interface InvocationParts extends RunParts {
  bytesInFlight: BytesInFlight;
  configurations: AgentConfigurations;
  /** Builds what is stored under the Idempotency-Key when an asynchronous invocation has ended. */
  storedOutcome: (keyId: Buffer, requestId: string, outcome: InvocationOutcome) => KeySettlement;
  /** Reports internal errors of asynchronous invocations, which no caller receives. */
  onError: (invocation: { requestId: string; trace: Trace }, error: unknown) => void;
}

/**
 * How many workers may crash while running an invocation before it fails. High, since most crashes have another cause,
 * but limited, since the invocation itself may be the cause.
 */
const maxAttempts = 10;

export function createInvocations(parts: InvocationParts): Invocations {
  const { bytesInFlight, configurations, storedOutcome, onError } = parts;
  const inFlight = new Map<Interruptible, Promise<unknown>>();
  const runningByAccount = createTally();

  return {
    async resolveAgent(caller, reference) {
      const found = await configurations.find(caller.accountId, reference);
      const agent = requireVisible(found, caller, reference);
      if (agent.status === 'stopped') throw new ServiceError('conflict', stoppedMessage(agent));
      return agent;
    },

    async run(invocation, { onDisconnect, onClose, maxConcurrent, sink, settleKey }) {
      const { accountId, timeoutMs } = invocation.agent;
      if (runningByAccount.of(accountId) >= maxConcurrent) {
        throw tooManyInvocations('invocations running', maxConcurrent);
      }
      const memory = bytesInFlight.open(accountId);
      // Rejected without a record, since nothing has happened yet.
      if (!memory.grow(bytesOfInput(invocation))) throw errorOf(overloaded(timeoutMs));
      runningByAccount.add(accountId);
      sink?.admitted();
      const running = interruptible(timeoutMs);
      onDisconnect(() => {
        running.interrupt('cancelled');
      });
      const run = runInvocation(parts, invocation, {
        running,
        memory,
        worker: null,
        settleKey,
        ...(sink && sinkOptions(sink)),
      });
      inFlight.set(running, run);
      // Either may hold the response last: a run can outlive its client, and a slow client the run.
      const closed = new Promise<void>(onClose);
      void Promise.allSettled([run, closed]).then(memory.release);
      try {
        return resultOf(invocation.id, await run);
      } finally {
        running.dispose();
        inFlight.delete(running);
        runningByAccount.remove(accountId);
      }
    },

    async runClaimed(claimed, worker, { onStart, attempt }) {
      const { id, agentId, accountId, attempts, hasActed, idempotencyId, traceContext, ...rest } =
        claimed;
      const agent = await configurations.find(accountId, agentId);
      // Deleting an agent deletes its invocations, so there is nothing to record.
      if (!agent) return;
      const running = interruptible(agent.timeoutMs);
      const trace = parseTraceParent(traceContext ?? null);
      const memory = bytesInFlight.open(accountId);
      onStart(running);
      try {
        const outcome = await runInvocation(
          parts,
          { ...rest, id, agent, trace },
          {
            running,
            memory,
            worker,
            attempt,
            settleKey: (ended) => idempotencyId && storedOutcome(idempotencyId, id, ended),
            rejection:
              rejectionOf(agent, { attempts, hasActed }) ??
              (memory.grow(bytesOfInput(rest)) ? undefined : overloaded(agent.timeoutMs)),
          },
        );
        const cause = 'failure' in outcome ? outcome.failure.cause : undefined;
        if (cause !== undefined) onError({ requestId: id, trace }, cause);
      } finally {
        running.dispose();
        memory.release();
      }
    },

    interrupt: () => {
      for (const { interrupt } of inFlight.keys()) interrupt('stopping');
    },
    idle: async () => {
      await Promise.allSettled(inFlight.values());
    },
  };
}

function sinkOptions({ push, flush, fail }: EventSink) {
  return {
    onText: (text: string) => {
      push({ event: 'delta', data: { text } });
    },
    onTool: (data: InvocationToolCall) => {
      push({ event: 'tool', data });
    },
    beforeCompletion: flush,
    beforeFailure: fail && ((failure: Failure) => fail(errorOfCall(failure))),
  } satisfies Partial<RunOptions>;
}

/** A synchronous invocation is cancelled only when its client disconnects. Its failure is for repeats, if those get it. */
function errorOfCall(failure: Failure): ServiceError | ClientDisconnected {
  const isForRepeats = failure.retryable === false;
  return failure.code === 'cancelled' && !isForRepeats
    ? new ClientDisconnected(failure.message)
    : errorOf(failure);
}

function resultOf(requestId: string, outcome: InvocationOutcome): InvocationResult {
  if ('failure' in outcome) throw errorOfCall(outcome.failure);
  return { ...outcome.completion, requestId, durationMs: outcome.durationMs };
}

function overloaded(timeoutMs: number): Failure {
  return toFailure(new Interruption('overloaded'), { timeoutMs, hasActed: false });
}

/** Why a claimed invocation must not run; undefined if it may. */
function rejectionOf(
  agent: ActiveAgent,
  { attempts, hasActed }: Pick<ClaimedInvocation, 'attempts' | 'hasActed'>,
): Failure | undefined {
  if (hasActed) return interruptedAfterTools;
  if (attempts >= maxAttempts) {
    return serviceFailure(`its worker crashed ${maxAttempts} times`);
  }
  if (agent.status === 'running') return undefined;
  const message = stoppedMessage(agent);
  return { code: 'unavailable', message, retryAfter: 60, reason: 'the agent is stopped' };
}

function stoppedMessage({ name }: ActiveAgent): string {
  return `The agent '${name}' is stopped. Its operator can start it.`;
}

/** Invoking agents: who may, what runs, and what is in flight. */
import type { AgentReference } from '../../../generated/api.js';
import type { ActiveAgent } from '../../store/agents.js';
import type { ClaimedInvocation } from '../../store/invocation-queue.js';
import type { KeySettlement } from '../../store/record-invocation.js';
import type { AgentConfigurations } from '../agents/configurations.js';
import { agentNotFound, type Caller, assertVisible } from '../caller.js';
import { ServiceError } from '../errors.js';
import { errorOf, serviceFailure } from './failure.js';
import { type Interruptible, interruptible } from './interruption.js';
import type {
  Failure,
  InvocationInput,
  InvocationResult,
  InvocationOutcome,
} from './invocation.js';
import { runInvocation, type RunOptions, type RunParts } from './run.js';

export type {
  InvocationInput as Invocation,
  InvocationResult,
  InvocationOutcome as Outcome,
} from './invocation.js';
export { errorOf } from './failure.js';

export interface CallOptions {
  /** Has the listener called when the caller leaves. */
  onDisconnect: (listener: () => void) => void;
  onText?: (text: string) => void;
  settleKey: RunOptions['settleKey'];
}

export interface Invocations {
  /** The agent as it runs now. Throws if the caller may not see it, or if it is stopped. */
  agentFor: (caller: Caller, reference: AgentReference) => Promise<ActiveAgent>;
  /** Returns the answer once it is recorded; throws what the caller is to be told otherwise. */
  run: (invocation: InvocationInput, options: CallOptions) => Promise<InvocationResult>;
  /** Runs what a worker claimed. */
  runClaimed: (
    claimed: ClaimedInvocation,
    worker: string,
    begin: (running: Interruptible) => void,
  ) => Promise<void>;
  /** Interrupts the calls in flight: the service is being stopped. */
  interrupt: () => void;
  /** Resolves when no call is in flight. */
  idle: () => Promise<void>;
}

export interface InvocationParts extends RunParts {
  configurations: AgentConfigurations;
  /** What is stored under the Idempotency-Key of an asynchronous invocation that has ended. */
  storedOutcome: (keyId: Buffer, requestId: string, outcome: InvocationOutcome) => KeySettlement;
  /** Told of our own faults behind asynchronous invocations, which no caller hears of. */
  onFault: (requestId: string, fault: unknown) => void;
}

/** As often as a worker may die of an invocation. */
const maxAttempts = 3;

export function createInvocations(parts: InvocationParts): Invocations {
  const { configurations, storedOutcome, onFault } = parts;
  const calls = new Map<Interruptible, Promise<unknown>>();

  return {
    async agentFor(caller, reference) {
      const agent = await configurations.find(caller.accountId, reference);
      if (!agent) throw agentNotFound(reference);
      assertVisible(caller, agent.id, reference);
      if (agent.status === 'stopped') throw new ServiceError('conflict', stoppedMessage(agent));
      return agent;
    },

    async run(invocation, { onDisconnect: onLeave, onText, settleKey }) {
      const running = interruptible(invocation.agent.timeoutMs);
      onLeave(() => {
        running.interrupt('cancelled');
      });
      const call = runInvocation(parts, invocation, { running, worker: null, onText, settleKey });
      calls.set(running, call);
      try {
        return resultOf(invocation.id, await call);
      } finally {
        running.release();
        calls.delete(running);
      }
    },

    async runClaimed(claimed, worker, begin) {
      const { id, agentId, accountId, attempts, idempotencyId, ...rest } = claimed;
      const agent = await configurations.find(accountId, agentId);
      // With the agent, the invocation is gone too.
      if (!agent) return;
      const running = interruptible(agent.timeoutMs);
      begin(running);
      try {
        const outcome = await runInvocation(
          parts,
          { ...rest, id, agent },
          {
            running,
            worker,
            settleKey: (ended) => idempotencyId && storedOutcome(idempotencyId, id, ended),
            refusal: refusalOf(agent, attempts),
          },
        );
        const fault = 'failure' in outcome ? outcome.failure.cause : undefined;
        if (fault !== undefined) onFault(id, fault);
      } finally {
        running.release();
      }
    },

    interrupt: () => {
      for (const { interrupt } of calls.keys()) interrupt('stopping');
    },
    idle: async () => {
      await Promise.allSettled(calls.values());
    },
  };
}

function resultOf(requestId: string, outcome: InvocationOutcome): InvocationResult {
  if ('failure' in outcome) throw errorOf(outcome.failure);
  return { ...outcome.completion, requestId, durationMs: outcome.durationMs };
}

function refusalOf(agent: ActiveAgent, attempts: number): Failure | undefined {
  if (attempts > maxAttempts) {
    return serviceFailure(`its worker ended ${maxAttempts} times without an answer`);
  }
  if (agent.status === 'running') return undefined;
  const message = stoppedMessage(agent);
  return { code: 'unavailable', message, retryAfter: 60, reason: 'the agent is stopped' };
}

function stoppedMessage({ name }: ActiveAgent): string {
  return `The agent '${name}' is stopped. Its operator can start it.`;
}

/** The invocation service: runs invocations for callers and workers, and tracks those in flight. */
import type { AgentReference } from '../../generated/api.js';
import type { BytesInFlight } from '../lib/async/bytes-in-flight.js';
import { Counts } from '../lib/data/counts.js';
import { parseTraceParent } from '../lib/net/trace-parent.js';
import type { Trace } from '../telemetry/telemetry.js';
import type { ActiveAgent, AgentConfigurations } from '../agents/configurations.js';
import type {
  ClaimedInvocation,
  Failure,
  InvocationInput,
  InvocationOutcome,
  InvocationResult,
} from './invocation.js';
import { type Caller, requireVisible } from '../accounts/caller.js';
import { ServiceError, tooManyInvocations } from '../contract/errors.js';
import { bytesOfInput } from './call-agent.js';
import {
  errorForClient,
  errorOf,
  interruptedAfterTools,
  serviceFailure,
  toFailure,
} from './failure.js';
import { Interruption, RunControl } from './interruption.js';
import { InvocationRun, type RunOptions, type RunParts } from './run.js';

interface CallOptions extends Pick<RunOptions, 'key' | 'events'> {
  /** Called once the account's limits have admitted the invocation. From then on, a failure is recorded. */
  onAdmitted?: (() => void) | undefined;
  /** Registers a listener for a client that disconnects. */
  onDisconnect: (listener: () => void) => void;
  /** Registers a listener for the end of the response, complete or not. */
  onClose: (listener: () => void) => void;
  /** How many synchronous invocations the account may run at a time on this instance. */
  maxConcurrent: number;
}

export interface ClaimedOptions {
  worker: string;
  onStart: (control: RunControl) => void;
  begin: () => Promise<boolean>;
}

export interface InvocationParts extends RunParts {
  bytesInFlight: BytesInFlight;
  configurations: AgentConfigurations;
  /** Reports internal errors of asynchronous invocations, which no caller receives. */
  onError: (invocation: { requestId: string; trace: Trace }, error: unknown) => void;
}

/**
 * How many workers may crash while running an invocation before it fails. High, since most crashes have another cause,
 * but limited, since the invocation itself may be the cause.
 */
const maxAttempts = 10;

export class Invocations {
  readonly #parts: InvocationParts;
  /** The synchronous ones. */
  readonly #inFlight = new Map<RunControl, Promise<unknown>>();
  readonly #runningByAccount = new Counts();

  constructor(parts: InvocationParts) {
    this.#parts = parts;
  }

  /** Resolves to the active configuration of an agent. Throws if the caller may not see the agent, or if it is stopped. */
  async resolveAgent(caller: Caller, reference: AgentReference): Promise<ActiveAgent> {
    const found = await this.#parts.configurations.find(caller.accountId, reference);
    const agent = requireVisible(found, caller, reference);
    if (agent.status === 'stopped') throw new ServiceError('conflict', stoppedMessage(agent));
    return agent;
  }

  /** Resolves to the result once it is recorded; rejects with the error for the caller. */
  async run(
    invocation: InvocationInput,
    { key, events, onAdmitted, onDisconnect, onClose, maxConcurrent }: CallOptions,
  ): Promise<InvocationResult> {
    const { accountId, agent } = invocation;
    if (this.#runningByAccount.of(accountId) >= maxConcurrent) {
      throw tooManyInvocations('invocations running', maxConcurrent);
    }
    const memory = this.#parts.bytesInFlight.open(accountId);
    // Rejected without a record, since nothing has happened yet.
    if (!memory.grow(bytesOfInput(invocation))) throw errorOf(overloaded(agent));
    this.#runningByAccount.add(accountId, 1);
    onAdmitted?.();
    const control = new RunControl(agent.timeoutMs);
    onDisconnect(() => {
      control.interrupt('cancelled');
    });
    const run = this.#start(invocation, { control, memory, worker: null, key, events });
    this.#inFlight.set(control, run);
    // Either may hold the response last: a run can outlive its client, and a slow client the run.
    const closed = new Promise<void>(onClose);
    void Promise.allSettled([run, closed]).then(memory.release);
    try {
      return resultOf(invocation.id, await run);
    } finally {
      control.dispose();
      this.#inFlight.delete(control);
      this.#runningByAccount.add(accountId, -1);
    }
  }

  /** Runs an invocation that a worker claimed. */
  async runClaimed(
    { attempts, hasActed, idempotencyId, traceContext, ...request }: ClaimedInvocation,
    { worker, onStart, begin }: ClaimedOptions,
  ): Promise<void> {
    const { id, agentId, accountId } = request;
    const agent = await this.#parts.configurations.find(accountId, agentId);
    // Deleting an agent deletes its invocations, so there is nothing to record.
    if (!agent) return;
    const control = new RunControl(agent.timeoutMs);
    const trace = parseTraceParent(traceContext);
    const memory = this.#parts.bytesInFlight.open(accountId);
    onStart(control);
    try {
      const rejection =
        rejectionOf(agent, { attempts, hasActed }) ??
        (memory.grow(bytesOfInput(request)) ? undefined : overloaded(agent));
      const key = idempotencyId && { id: idempotencyId, owner: null };
      const options = { control, memory, worker, begin, key, rejection };
      const outcome = await this.#start({ agent, trace, ...request }, options);
      const cause = 'failure' in outcome ? outcome.failure.cause : undefined;
      if (cause !== undefined) this.#parts.onError({ requestId: id, trace }, cause);
    } finally {
      control.dispose();
      memory.release();
    }
  }

  /** Interrupts all synchronous invocations in flight, for a shutdown. */
  interrupt(): void {
    for (const control of this.#inFlight.keys()) control.interrupt('stopping');
  }

  /** Resolves when no synchronous invocation is in flight. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#inFlight.values());
  }

  #start(invocation: InvocationInput, options: RunOptions): Promise<InvocationOutcome> {
    return new InvocationRun({ parts: this.#parts, invocation, options }).run();
  }
}

function resultOf(requestId: string, outcome: InvocationOutcome): InvocationResult {
  if ('failure' in outcome) throw errorForClient(outcome.failure);
  return { requestId, durationMs: outcome.durationMs, ...outcome.completion };
}

function overloaded({ timeoutMs }: ActiveAgent): Failure {
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

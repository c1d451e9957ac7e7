/** The invocation service: runs invocations for callers and workers, and tracks those in flight. */
import type { AgentReference } from '../../generated/api.js';
import type { BytesInFlight, Reservation } from '../lib/async/bytes-in-flight.js';
import { Counts } from '../lib/data/counts.js';
import { parseTraceParent } from '../lib/net/trace-parent.js';
import type { Trace } from '../telemetry/telemetry.js';
import type { ActiveAgent, AgentConfigurations, AgentKey } from '../agents/configurations.js';
import type {
  ClaimedInvocation,
  Failure,
  InvocationInput,
  InvocationOutcome,
  InvocationResult,
} from './invocation.js';
import { type Caller, requireVisible } from '../accounts/caller.js';
import { longestWaitMs } from '../contract/agent-options.js';
import { production } from '../contract/environments.js';
import { ServiceError, tooManyInvocations } from '../contract/errors.js';
import { AskedAgents } from './asked-agents.js';
import { bytesOfInput } from './call-agent.js';
import { errorForClient, errorOf, serviceFailure, stepsMissing, toFailure } from './failure.js';
import { Interruption, RunControl } from './interruption.js';
import { InvocationRun, type RunOptions, type RunParts } from './run.js';
import { queuedReferences } from './references.js';
import type { CommittedRun, RunId } from './steps.js';

interface CallOptions extends Pick<
  RunOptions,
  'key' | 'events' | 'committed' | 'rejection' | 'references'
> {
  /** Called once the account's limits have admitted the invocation. From then on, a failure is recorded. */
  onAdmitted?: (() => void) | undefined;
  /** Registers a listener for a client that disconnects. */
  onDisconnect: (listener: () => void) => void;
  /** Registers a listener for the end of the response, complete or not. */
  onClose: (listener: () => void) => void;
  admission: Admission;
}

/** The room of a synchronous invocation, within the limits of its account and of this instance. */
export interface Admission {
  memory: Reservation;
  /** Reserves memory for what is committed of the run. Throws if there is none. */
  hold: (committed: CommittedRun) => void;
  /** Gives the account's place back. */
  leave: () => void;
}

interface Resolution {
  reference: AgentReference;
  /** Null: production. */
  environment: string | null;
  goesOn: boolean;
}

export interface ClaimedOptions {
  onStart: (control: RunControl) => void;
  begin: () => Promise<boolean>;
}

interface FailedInvocation {
  kind: 'an asynchronous' | 'an asked';
  requestId: string;
  trace: Trace;
}

export interface InvocationParts extends Omit<RunParts, 'ask'> {
  bytesInFlight: BytesInFlight;
  configurations: AgentConfigurations;
  /** What is committed of a run; undefined if nothing is. */
  readRun: (run: RunId) => Promise<CommittedRun | undefined>;
  /** Reports internal errors of asynchronous invocations, and of agents that others ask, which no caller receives. */
  onError: (invocation: FailedInvocation, error: unknown) => void;
}

/**
 * How many workers may crash while running an invocation, without committing a step in between, before it fails. High, since most
 * crashes have another cause, but limited, since the invocation itself may be the cause.
 */
const maxAttempts = 10;

export class Invocations {
  readonly #parts: InvocationParts & RunParts;
  /** The synchronous ones. */
  readonly #inFlight = new Map<RunControl, Promise<unknown>>();
  /** By the id of the invocation, or of the request that goes on with it. */
  readonly #running = new Map<string, RunControl>();
  readonly #runningByAccount = new Counts();

  constructor(parts: InvocationParts) {
    const asked = new AskedAgents({
      ...parts,
      run: (invocation, options) => this.#start(invocation, options),
      onError: ({ id: requestId, trace }, error) => {
        parts.onError({ kind: 'an asked', requestId, trace }, error);
      },
    });
    this.#parts = { ...parts, ask: (asking, question) => asked.ask(asking, question) };
  }

  /**
   * Resolves to the configuration of an agent in an environment. Throws if the caller may not see the agent, if it is stopped, or if nothing
   * is deployed to the environment, unless the invocation goes on with a run, which keeps its configuration.
   */
  async resolveAgent(
    caller: Caller,
    { reference, environment, goesOn }: Resolution,
  ): Promise<ActiveAgent> {
    const { accountId } = caller;
    const found = await this.#find({ accountId, reference, environment });
    const agent = requireVisible(found.agent, caller, reference);
    if (agent.status === 'stopped') throw new ServiceError('conflict', stoppedMessage(agent));
    if (environment !== null && !found.isDeployed && !goesOn) {
      throw new ServiceError('not_found', notDeployedMessage(agent, environment));
    }
    return agent;
  }

  /** If nothing is deployed to the environment, the agent has only what does not depend on it: its name, status and budget. */
  async #find(key: AgentKey): Promise<{ agent: ActiveAgent | undefined; isDeployed: boolean }> {
    const { configurations } = this.#parts;
    const deployed = await configurations.find(key);
    if (deployed || key.environment === null) return { agent: deployed, isDeployed: true };
    const agent = await configurations.find({ ...key, environment: null });
    return { agent: agent && { ...agent, deploymentId: null }, isDeployed: false };
  }

  /**
   * Throws if no further synchronous invocation of the account may run on this instance, or if there is no memory for it. It is then rejected
   * without a record, since nothing has happened yet.
   */
  admit(invocation: InvocationInput, maxConcurrent: number): Admission {
    const { accountId, agent } = invocation;
    if (this.#runningByAccount.of(accountId) >= maxConcurrent) {
      throw tooManyInvocations('invocations running', maxConcurrent);
    }
    const memory = this.#parts.bytesInFlight.open(accountId);
    if (!memory.grow(bytesOfInput(invocation))) throw errorOf(overloaded(agent));
    this.#runningByAccount.add(accountId, 1);
    const leave = () => {
      this.#runningByAccount.add(accountId, -1);
    };
    const hold = ({ bytes }: CommittedRun) => {
      if (!memory.grow(bytes)) throw errorOf(overloaded(agent));
    };
    return { memory, hold, leave };
  }

  /** What is committed of a run; undefined if nothing is. */
  readRun(run: RunId): Promise<CommittedRun | undefined> {
    return this.#parts.readRun(run);
  }

  /** Resolves to the result once it is recorded; rejects with the error for the caller. */
  async run(
    invocation: InvocationInput,
    { onAdmitted, onDisconnect, onClose, admission, ...options }: CallOptions,
  ): Promise<InvocationResult> {
    const { agent } = invocation;
    const { memory, leave } = admission;
    onAdmitted?.();
    const control = new RunControl(
      Math.min(agent.timeoutMs, longestWaitMs),
      options.committed?.elapsedMs,
    );
    onDisconnect(() => {
      control.interrupt('disconnected');
    });
    const runId = options.key?.owner ?? invocation.id;
    this.#running.set(runId, control);
    const run = this.#start(invocation, { control, memory, worker: null, ...options });
    this.#inFlight.set(control, run);
    // Either may hold the response last: a run can outlive its client, and a slow client the run.
    const closed = new Promise<void>(onClose);
    void Promise.allSettled([run, closed]).then(memory.release);
    try {
      return resultOf(invocation.id, await run);
    } finally {
      control.dispose();
      this.#running.delete(runId);
      this.#inFlight.delete(control);
      leave();
    }
  }

  /** Runs an invocation that a worker claimed. */
  async runClaimed(
    {
      attempts,
      hasActed,
      idempotencyId,
      traceContext,
      owner: worker,
      ...request
    }: ClaimedInvocation,
    { onStart, begin }: ClaimedOptions,
  ): Promise<void> {
    const { id, agentId, accountId, environment } = request;
    const found = await this.#find({ accountId, reference: agentId, environment });
    const current = found.agent;
    // Deleting an agent deletes its invocations, so there is nothing to record.
    if (!current) return;
    const committed = hasActed
      ? await this.#parts.readRun({ accountId, requestId: id })
      : undefined;
    const agent = { ...current, ...committed?.agent };
    const control = new RunControl(agent.timeoutMs, committed?.elapsedMs);
    const trace = parseTraceParent(traceContext);
    const memory = this.#parts.bytesInFlight.open(accountId);
    onStart(control);
    this.#running.set(id, control);
    try {
      // It waits for memory, because calls that were made or approved must not be lost, unless there can never be enough.
      const isTooLarge = !this.#parts.bytesInFlight.couldHold(committed?.bytes ?? 0);
      if (committed && !isTooLarge && !memory.grow(committed.bytes)) {
        throw new Interruption('overloaded');
      }
      const invocation = { agent, trace, ...request };
      const { references, failure } = queuedReferences(invocation, committed?.references);
      const rejection =
        rejectionOf(agent, { attempts, isLost: hasActed && !committed }) ??
        failure ??
        (found.isDeployed || committed ? undefined : notDeployed(agent, environment)) ??
        (!isTooLarge && memory.grow(bytesOfInput(request))
          ? undefined
          : overloaded(agent, committed?.hasActed));
      const key = idempotencyId && { id: idempotencyId, owner: null };
      const options = { control, memory, worker, begin, key, rejection, committed, references };
      const outcome = await this.#start(invocation, options);
      const cause = 'failure' in outcome ? outcome.failure.cause : undefined;
      if (cause !== undefined) {
        this.#parts.onError({ kind: 'an asynchronous', requestId: id, trace }, cause);
      }
    } finally {
      control.dispose();
      if (this.#running.get(id) === control) this.#running.delete(id);
      memory.release();
    }
  }

  /** Stops a run that was cancelled, if it is on this instance. */
  cancel(runId: string): void {
    this.#running.get(runId)?.interrupt('cancelled');
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
  const { durationMs, total, completion } = outcome;
  return { requestId, durationMs, total, ...completion };
}

function overloaded({ timeoutMs }: ActiveAgent, hasActed = false): Failure {
  return toFailure(new Interruption('overloaded'), { timeoutMs, hasActed });
}

/** Why a claimed invocation must not run; undefined if it may. */
function rejectionOf(
  agent: ActiveAgent,
  { attempts, isLost }: Pick<ClaimedInvocation, 'attempts'> & { isLost: boolean },
): Failure | undefined {
  if (isLost) return stepsMissing;
  if (attempts >= maxAttempts) {
    return serviceFailure(`its worker crashed ${maxAttempts} times`);
  }
  if (agent.status === 'running') return undefined;
  const message = stoppedMessage(agent);
  return { code: 'unavailable', message, retryAfter: 60, reason: 'the agent is stopped' };
}

function notDeployed(agent: ActiveAgent, environment: string | null): Failure {
  const message = notDeployedMessage(agent, environment ?? production);
  return { code: 'not_found', message, reason: `nothing is deployed to ${environment} any more` };
}

function notDeployedMessage({ name }: ActiveAgent, environment: string): string {
  return `There is no active deployment of the agent '${name}' in the environment '${environment}'.`;
}

function stoppedMessage({ name }: ActiveAgent): string {
  return `The agent '${name}' is stopped. Its operator can start it.`;
}

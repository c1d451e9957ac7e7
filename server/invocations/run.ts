/** Runs one invocation: acquires the session lease, calls the model, and records the outcome. */
import { formatTraceParent } from '../lib/net/trace-parent.js';
import type { InvocationEnd, InvocationScope, Telemetry } from '../telemetry/telemetry.js';
import type { TokenUsage } from '../models/model.js';
import { noTokens } from '../models/token-usage.js';
import { isStoreUnavailable } from '../postgres/errors.js';
import type { InvocationRecorder } from './recorder.js';
import { type ActingLeases, openToolLog, type RunningLog, type ToolLog } from './running-log.js';
import { agentNotFound } from '../accounts/caller.js';
import { requestInProgress } from '../contract/errors.js';
import {
  type AgentCallOptions,
  type AgentCallParts,
  callAgent,
  type RunProgress,
} from './call-agent.js';
import { errorForClient, goesOnLater, toFailure } from './failure.js';
import { exchangesToRead } from './history.js';
import { Interruption } from './interruption.js';
import {
  type Failure,
  type InvocationInput,
  type InvocationOutcome,
  isRemembered,
  type RunResult,
} from './invocation.js';
import { Journal } from './journal.js';
import { outcomeOf, recordOf, type IdempotencyKey, settlementOf } from './record.js';
import type { SessionLease, Sessions } from './sessions/sessions.js';
import { withHops } from './hops.js';
import { StepLog } from './steps.js';
import type { Summaries } from './summaries.js';

export interface RunParts extends AgentCallParts {
  sessions: Sessions;
  recorder: InvocationRecorder;
  runningLog: RunningLog;
  telemetry: Telemetry;
  summaries: Pick<Summaries, 'update'>;
}

export interface RunOptions extends AgentCallOptions {
  /** The owner of the lease of an asynchronous invocation; null for a synchronous one. */
  worker: string | null;
  /** The Idempotency-Key of the request; null if it has none. */
  key: IdempotencyKey | null;
  /** If set, the invocation fails with it, without calling the model. */
  rejection?: Failure | undefined;
}

interface RunOfInvocation {
  parts: RunParts;
  invocation: InvocationInput;
  options: RunOptions;
}

/** The leases of the run, as far as it still has them. */
interface RunLeases {
  session: SessionLease | undefined;
  key: IdempotencyKey | null;
}

export class InvocationRun implements RunProgress {
  readonly journal: Journal;
  readonly toolLog: ToolLog;
  readonly stepLog: StepLog | undefined;
  readonly scope: InvocationScope;
  tokensUsed: number | null = null;
  usage: TokenUsage = {};
  asked = noTokens;
  unreportedTokens = 0;
  turnsLeftOut = 0;
  hasActed: boolean;
  readonly #parts: RunParts;
  readonly #invocation: InvocationInput;
  readonly #options: RunOptions;
  #session: SessionLease | undefined;
  #isSessionLost = false;

  constructor({ parts, invocation, options }: RunOfInvocation) {
    this.#parts = parts;
    this.#invocation = invocation;
    this.#options = options;
    const { committed } = options;
    this.hasActed = committed?.hasActed ?? false;
    this.journal = new Journal(invocation);
    if (committed?.hasActed) this.journal.wentOn(committed);
    this.stepLog = canGoOn(invocation, options) ? new StepLog(committed?.length ?? 0) : undefined;
    this.toolLog = openToolLog(invocation, {
      store: parts.runningLog,
      journal: this.journal,
      steps: this.stepLog,
      leases: () => this.#actingLeases(),
      hasActed: this.hasActed,
    });
    const scope = parts.telemetry.invocation({
      requestId: invocation.id,
      mode: options.worker === null ? 'synchronous' : 'asynchronous',
      isPrivate: !isRemembered(invocation),
      ...invocation,
    });
    this.scope = withHops(scope, invocation.hops ?? 0);
  }

  /**
   * Returns the outcome once it is recorded. Throws if it must not be recorded: the agent was deleted, the
   * Idempotency-Key has another owner, or another worker runs the invocation.
   */
  async run(): Promise<InvocationOutcome> {
    const { control, rejection, key } = this.#options;
    try {
      const result = rejection ? { failure: rejection } : await this.#result();
      control.dispose();
      this.#session?.stopRenewal();
      const outcome = await this.#record(result, { session: this.#session, key });
      this.scope.end(endOf(outcome));
      if (this.#session && 'completion' in outcome) {
        this.#parts.summaries.update({
          invocation: this.#invocation,
          history: this.#session.history,
          turnsLeftOut: this.turnsLeftOut,
        });
      }
      return outcome;
    } catch (error) {
      this.scope.end(undefined);
      const isLost = error instanceof Interruption && error.kind === 'work_lost';
      if (isLost) this.#parts.telemetry.leaseLost('invocation');
      // No-op if the recording was committed, and thereby released the lease, although its confirmation was lost.
      await this.#session?.release();
      throw error;
    }
  }

  async #result(): Promise<RunResult> {
    const { worker, events } = this.#options;
    try {
      this.#session = await this.#acquireSession();
      const completion = await callAgent({
        parts: this.#parts,
        invocation: this.#invocation,
        history: this.#session?.history ?? [],
        options: this.#options,
        progress: this,
      });
      await events?.flush?.();
      return { completion };
    } catch (error) {
      // Another process goes on with it.
      if (mayRunAgain(error) && worker !== null) throw error;
      if (mayRunAgain(error) && this.#canBeRepeated) {
        this.journal.interrupted(this.#failureOf(error).reason);
        this.toolLog.writeSoon();
        const later = goesOnLater(error);
        await events?.storeError?.(later);
        throw later;
      }
      return { failure: this.#failureOf(error) };
    } finally {
      await this.toolLog.settle();
    }
  }

  /** Whether a repeat of the request goes on after the stored steps. */
  get #canBeRepeated(): boolean {
    return this.hasActed && this.stepLog !== undefined && this.#options.key !== null;
  }

  #failureOf(error: unknown): Failure {
    const { timeoutMs } = this.#options.control;
    const isAsked = this.#invocation.asked !== undefined;
    return toFailure(error, { timeoutMs, hasActed: this.hasActed, isAsked });
  }

  async #acquireSession(): Promise<SessionLease | undefined> {
    const { id, agent, accountId, agentId, userId, sessionId, environment } = this.#invocation;
    const { control, worker, key } = this.#options;
    if (sessionId === null) return undefined;
    const session = { accountId, agentId, userId, sessionId, environment };
    // Includes who runs it, so that a second run, after the first process died, is a different owner.
    const owner = `${worker ?? key?.owner ?? ''} ${id}`.trimStart();
    const onLost = () => {
      this.#reportLostSession();
      control.interrupt('session_lost');
    };
    return this.#parts.sessions.acquire(
      { session, owner, exchanges: exchangesToRead(agent) },
      { signal: control.signal, onLost },
    );
  }

  /** Once, whether the loss is noticed during the run or by the recording. */
  #reportLostSession(): void {
    if (!this.#isSessionLost) this.#parts.telemetry.leaseLost('session');
    this.#isSessionLost = true;
  }

  #actingLeases(): ActingLeases {
    const { worker, key } = this.#options;
    const requestId = this.#invocation.id;
    // The request of an asynchronous invocation has its 202, and its worker holds the lease.
    return { worker, key: key?.owner ? { id: key.id, owner: key.owner, requestId } : null };
  }

  async #record(result: RunResult, { session, key }: RunLeases): Promise<InvocationOutcome> {
    const { worker, events } = this.#options;
    const invocation = this.#invocation;
    const outcome = outcomeOf(invocation, result, this);
    if ('failure' in result) await events?.storeError?.(errorForClient(result.failure));
    const { trace } = this.scope;
    const record = recordOf({
      invocation,
      outcome,
      logs: this.journal.close(outcome),
      leases: {
        sessionOwner: session?.owner ?? null,
        worker,
        idempotency: settlementOf(key, invocation.id, outcome),
      },
      // Also of a run that does not know that it has acted, because the answer to its first write was lost.
      hasSteps: this.stepLog?.isEmpty === false,
      earlier: this.#options.committed?.earlier,
      traceContext: trace ? formatTraceParent(trace) : null,
    });
    switch (await this.#parts.recorder.record(record)) {
      case 'recorded':
        return outcome;
      case 'session_lost': {
        this.#reportLostSession();
        const lost = new Interruption('session_lost');
        if (worker !== null) throw lost;
        if (this.#canBeRepeated) throw goesOnLater(lost);
        // Another exchange may have been recorded in between, so this completion may not follow from the history.
        const failure = 'failure' in result ? result.failure : this.#failureOf(lost);
        return this.#record({ failure }, { session: undefined, key });
      }
      case 'agent_gone':
        throw agentNotFound(invocation.agent.name);
      case 'key_lost':
        // Who cancels a run completes its key. Otherwise a repeat runs it now.
        if (!('failure' in result) || result.failure.isFinal !== true) throw requestInProgress();
        return this.#record(result, { session, key: null });
      case 'worker_lost':
        throw new Interruption('work_lost');
    }
  }
}

/** Whether another process can go on with the run. Then its steps are stored, if its agent has tools. */
function canGoOn(
  { agent: { options }, asked }: InvocationInput,
  { worker, key }: RunOptions,
): boolean {
  // An agent that another one asked ends with it.
  if (!options.tools || asked) return false;
  const { http = [], mcp = [], agents = [] } = options.tools;
  const waits = [...http, ...mcp, ...agents].some(({ approval }) => approval !== undefined);
  return worker !== null || key !== null || waits;
}

function endOf(outcome: InvocationOutcome): InvocationEnd {
  if ('failure' in outcome) {
    return { status: 'failed', code: outcome.failure.code, tokensUsed: outcome.tokensUsed };
  }
  return { status: 'succeeded', ...outcome.completion };
}

const rerunKinds = new Set<Interruption['kind']>(['stopping', 'work_lost', 'session_lost']);

/** A run that ended through no fault of its own goes on in another process, or begins again if it has not acted. */
function mayRunAgain(error: unknown): boolean {
  return error instanceof Interruption ? rerunKinds.has(error.kind) : isStoreUnavailable(error);
}

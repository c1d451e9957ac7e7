/** Runs one invocation: acquires the session lease, calls the model, and records the outcome. */
import { constraints } from '../../../generated/constraints.js';
import type { InvocationEnd, StartedInvocation, Telemetry } from '../../observability/telemetry.js';
import { formatTraceParent } from '../../lib/net/trace-parent.js';
import { currentDate } from '../../lib/time/clock.js';
import type { InvocationRecorder, KeySettlement } from '../../store/invocations/record.js';
import type { ActingLeases, RunningLog } from '../../store/invocations/running-log.js';
import { isStoreUnavailable } from '../../store/postgres/errors.js';
import { agentNotFound } from '../caller.js';
import { requestInProgress, ServiceError } from '../errors.js';
import {
  type AgentCallOptions,
  type AgentCallParts,
  callAgent,
  type Progress,
} from './call-agent.js';
import { errorOf, interruptedAfterTools, toFailure } from './failure.js';
import { exchangesToRead } from './history.js';
import { Interruption } from './interruption.js';
import {
  type RunResult,
  type Failure,
  type InvocationInput,
  type InvocationOutcome,
  isRemembered,
} from './invocation.js';
import { openJournal } from './journal.js';
import { recordOf } from './record.js';
import type { Sessions, SessionLease } from './sessions.js';
import type { Summaries } from './summaries.js';
import { openToolLog } from './tool-log.js';

export interface RunParts extends AgentCallParts {
  sessions: Sessions;
  recorder: InvocationRecorder;
  runningLog: RunningLog;
  telemetry: Telemetry;
  summaries: Pick<Summaries, 'update'>;
}

export interface RunOptions extends AgentCallOptions {
  /** The worker that claimed an asynchronous invocation; null for a synchronous one. */
  worker: string | null;
  /** Awaited before a completion is recorded; fails the invocation if it rejects. */
  beforeCompletion?: (() => Promise<void>) | undefined;
  /** Awaited before a failure is recorded; never rejects. */
  beforeFailure?: ((failure: Failure) => Promise<void>) | undefined;
  /** Builds what is stored under the Idempotency-Key for the outcome; null if there is no key. */
  settleKey: (outcome: InvocationOutcome) => KeySettlement | null;
  /** If set, the invocation fails with it, without calling the model. */
  rejection?: Failure | undefined;
}

/**
 * Returns the outcome once it is recorded. Throws if it must not be recorded: the agent was deleted, the
 * Idempotency-Key has another owner, or another worker runs the invocation.
 */
export async function runInvocation(
  parts: RunParts,
  invocation: InvocationInput,
  options: RunOptions,
): Promise<InvocationOutcome> {
  const { running, rejection } = options;
  const journal = openJournal(invocation);
  const leases = () => actingLeases(options);
  const run: Run = {
    journal,
    toolLog: openToolLog(invocation, { store: parts.runningLog, journal, leases }),
    scope: parts.telemetry.invocation(startOf(invocation, options)),
    lease: undefined,
    onSessionLost: once(() => {
      parts.telemetry.leaseLost('session');
    }),
    tokensUsed: null,
    unreportedTokens: 0,
    turnsLeftOut: 0,
    hasActed: false,
  };
  try {
    const result = rejection
      ? { failure: rejection }
      : await resultOf(parts, invocation, options, run);
    running.dispose();
    run.lease?.stopRenewal();
    const outcome = await recordOutcome(parts, invocation, options, result, run);
    run.scope.end(endOf(outcome));
    if (run.lease && 'completion' in outcome) {
      const { turnsLeftOut, lease } = run;
      parts.summaries.update({ invocation, history: lease.history, turnsLeftOut });
    }
    return outcome;
  } catch (error) {
    run.scope.end(undefined);
    const isLost = error instanceof Interruption && error.kind === 'work_lost';
    if (isLost) parts.telemetry.leaseLost('invocation');
    // No-op if the recording was committed, and thereby released the lease, although its confirmation was lost.
    await run.lease?.release();
    throw options.worker === null && run.hasActed ? afterTools(error) : error;
  }
}

/** For the caller of a run that called tools and could not be recorded: the same error that repeats of the request get. */
function afterTools(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return errorOf({ ...interruptedAfterTools, cause: error });
}

/** Without `scope`, for an invocation that is recorded without having run. */
type RecordedRun = Omit<Run, 'toolLog' | 'scope' | 'unreportedTokens' | 'turnsLeftOut'> & {
  scope?: Run['scope'] | undefined;
};

interface Run extends Progress {
  lease: SessionLease | undefined;
  /** Reports once, whether the loss is noticed during the run or by the recording. */
  onSessionLost?: () => void;
}

function startOf(invocation: InvocationInput, { worker }: RunOptions): StartedInvocation {
  const { id: requestId, agent, sessionId, message, trace } = invocation;
  const mode = worker === null ? 'synchronous' : 'asynchronous';
  const isPrivate = !isRemembered(invocation);
  return { requestId, agent, sessionId, message, trace, mode, isPrivate };
}

function endOf(outcome: InvocationOutcome): InvocationEnd {
  if ('failure' in outcome) {
    return { status: 'failed', code: outcome.failure.code, tokensUsed: outcome.tokensUsed };
  }
  return { status: 'succeeded', ...outcome.completion };
}

function once(report: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) report();
    isDone = true;
  };
}

async function resultOf(
  parts: RunParts,
  invocation: InvocationInput,
  options: RunOptions,
  run: Run,
): Promise<RunResult> {
  try {
    run.lease = await acquireSession(parts.sessions, invocation, options, run);
    const history = run.lease?.history ?? [];
    const completion = await callAgent(parts, invocation, history, options, run);
    await options.beforeCompletion?.();
    return { completion };
  } catch (error) {
    // An invocation that has called tools must not run again, because it would repeat their effects.
    if (options.worker !== null && !run.hasActed && mayRunAgain(error)) throw error;
    const { timeoutMs } = invocation.agent;
    return { failure: toFailure(error, { timeoutMs, hasActed: run.hasActed }) };
  } finally {
    await run.toolLog.settle();
  }
}

/** A key has the failure of an interrupted run before the first tool is called, in case nothing else is ever stored. */
function actingLeases({ worker, settleKey }: RunOptions): ActingLeases {
  if (worker !== null) return { worker, idempotency: null };
  const interrupted = {
    failure: interruptedAfterTools,
    hasActed: true,
    tokensUsed: null,
    durationMs: 0,
    finishedAt: currentDate(),
  };
  return { worker, idempotency: settleKey(interrupted) };
}

const rerunKinds = new Set<Interruption['kind']>(['stopping', 'work_lost', 'session_lost']);

/** An asynchronous invocation that ended through no fault of its own runs again, because it was accepted. */
function mayRunAgain(error: unknown): boolean {
  return error instanceof Interruption ? rerunKinds.has(error.kind) : isStoreUnavailable(error);
}

async function acquireSession(
  sessions: Sessions,
  { id, agent, userId, sessionId }: InvocationInput,
  { running: { signal, interrupt }, worker }: RunOptions,
  { onSessionLost }: Run,
): Promise<SessionLease | undefined> {
  if (sessionId === null) return undefined;
  const { accountId } = agent;
  // Includes the worker, so that a second run, after the first worker died, is a different owner.
  const owner = worker === null ? id : `${worker} ${id}`;
  const session = { accountId, agentId: agent.id, userId, sessionId };
  const onLost = () => {
    onSessionLost?.();
    interrupt('session_lost');
  };
  return sessions.acquire(
    { session, owner, exchanges: exchangesToRead(agent) },
    { signal, onLost },
  );
}

export async function recordOutcome(
  parts: Pick<RunParts, 'recorder'>,
  invocation: InvocationInput,
  options: Pick<RunOptions, 'worker' | 'settleKey' | 'beforeFailure'>,
  result: RunResult,
  run: RecordedRun,
): Promise<InvocationOutcome> {
  const { createdAt, agent } = invocation;
  const { journal, scope, lease, tokensUsed, hasActed, onSessionLost } = run;
  const finishedAt = currentDate();
  const durationMs = durationBetween(createdAt, finishedAt);
  const outcome = { ...result, tokensUsed, hasActed, finishedAt, durationMs };
  if ('failure' in result) await options.beforeFailure?.(result.failure);
  const idempotency = options.settleKey(outcome);
  const recording = await parts.recorder.record(
    recordOf(
      invocation,
      outcome,
      journal.close(outcome),
      {
        sessionOwner: lease?.owner ?? null,
        worker: options.worker,
        idempotency,
      },
      scope?.trace && formatTraceParent(scope.trace),
    ),
  );
  switch (recording) {
    case 'recorded':
      return outcome;
    case 'session_lost': {
      onSessionLost?.();
      if (options.worker !== null) throw new Interruption('session_lost');
      // Another exchange may have been recorded in between, so this completion may not follow from the history.
      const { timeoutMs } = agent;
      const failure =
        'failure' in result
          ? result.failure
          : toFailure(new Interruption('session_lost'), { timeoutMs, hasActed });
      const unleased = { ...run, lease: undefined };
      return recordOutcome(parts, invocation, options, { failure }, unleased);
    }
    case 'agent_gone':
      throw agentNotFound(agent.name);
    case 'key_lost': {
      if (!hasActed) throw requestInProgress();
      // A repeat found the lease expired, and got the failure that was stored before the first tool was called.
      const unkeyed = { ...options, settleKey: () => null };
      return recordOutcome(parts, invocation, unkeyed, { failure: interruptedAfterTools }, run);
    }
    case 'worker_lost':
      throw new Interruption('work_lost');
  }
}

/** Clamped to the range of the contract, in case the clock was changed in the meantime. */
function durationBetween(start: Date, end: Date): number {
  const { minimum, maximum } = constraints.DurationMs;
  return Math.min(maximum, Math.max(minimum, end.getTime() - start.getTime()));
}

/** Runs one invocation: acquires the session lease, calls the model, and records the outcome. */
import { constraints } from '../../../generated/constraints.js';
import { reasonOf } from '../../lib/abort.js';
import { converse } from '../../runtime/converse.js';
import type { Models } from '../../runtime/models.js';
import type { InvocationRecorder, KeySettlement } from '../../store/record-invocation.js';
import { isStoreUnavailable } from '../../store/errors.js';
import { readHistory } from '../../store/sessions.js';
import type { Database } from '../../store/database.js';
import { agentNotFound } from '../caller.js';
import { requestInProgress } from '../errors.js';
import { type AnswerReservation, bytesPerCharacter, bytesPerPiece } from './answer-memory.js';
import { toFailure } from './failure.js';
import { Interruption, type Interruptible } from './interruption.js';
import type {
  Completion,
  RunResult,
  Failure,
  InvocationInput,
  InvocationOutcome,
} from './invocation.js';
import { type Journal, openJournal } from './journal.js';
import { recordOf } from './record.js';
import type { Sessions, SessionLease } from './sessions.js';

export interface RunParts {
  database: Database;
  models: Models;
  sessions: Sessions;
  recorder: InvocationRecorder;
}

export interface RunOptions {
  running: Interruptible;
  answer: AnswerReservation;
  /** The worker that claimed an asynchronous invocation; null for a synchronous one. */
  worker: string | null;
  /** Counts an attempt of an asynchronous invocation. Resolves to false if another worker runs it. */
  beginAttempt?: () => Promise<boolean>;
  onText?: ((text: string) => void) | undefined;
  /** Awaited before a completion is recorded; fails the invocation if it rejects. */
  beforeCompletion?: (() => Promise<void>) | undefined;
  /** Awaited before a failure is recorded; never rejects. */
  beforeFailure?: ((failure: Failure) => Promise<void>) | undefined;
  /** What is stored under the Idempotency-Key for that outcome; null if there is no key. */
  settleKey: (outcome: InvocationOutcome) => KeySettlement | null;
  /** Fails the invocation with this, without calling the model. */
  rejection?: Failure | undefined;
}

/**
 * Returns the outcome once it is recorded. Throws if there is nothing to record: the agent was deleted, the
 * Idempotency-Key has another owner, or another worker runs the invocation.
 */
export async function runInvocation(
  parts: RunParts,
  invocation: InvocationInput,
  options: RunOptions,
): Promise<InvocationOutcome> {
  const { running, rejection } = options;
  const run: Run = { journal: openJournal(invocation), lease: undefined, tokensUsed: null };
  try {
    const result = rejection
      ? { failure: rejection }
      : await resultOf(parts, invocation, options, run);
    running.dispose();
    run.lease?.stopRenewal();
    return await recordOutcome(parts, invocation, options, result, run);
  } catch (error) {
    // Recording releases the lease. If it failed and was carried out nevertheless, this finds nothing to release.
    await run.lease?.release();
    throw error;
  }
}

/** What is known of a run while it goes on. */
interface Run {
  journal: Journal;
  lease: SessionLease | undefined;
  tokensUsed: number | null;
}

async function resultOf(
  parts: RunParts,
  invocation: InvocationInput,
  options: RunOptions,
  run: Run,
): Promise<RunResult> {
  try {
    run.lease = await acquireSession(parts.sessions, invocation, options);
    const completion = await callModel(parts, invocation, options, run);
    await options.beforeCompletion?.();
    return { completion };
  } catch (error) {
    if (options.worker !== null && mayRunAgain(error)) throw error;
    return { failure: toFailure(error, invocation.agent.timeoutMs) };
  }
}

const rerunKinds = new Set<Interruption['kind']>(['stopping', 'work_lost', 'session_lost']);

/** Whether an asynchronous invocation ended for a reason that is not its own: it was accepted, so it is run again. */
function mayRunAgain(error: unknown): boolean {
  return error instanceof Interruption ? rerunKinds.has(error.kind) : isStoreUnavailable(error);
}

async function acquireSession(
  sessions: Sessions,
  { id, agent, userId, sessionId }: InvocationInput,
  { running: { signal, interrupt }, worker }: RunOptions,
): Promise<SessionLease | undefined> {
  if (sessionId === null) return undefined;
  // A second run of the same invocation, after its worker died, is a different owner.
  const owner = worker === null ? id : `${worker} ${id}`;
  return sessions.acquire({ agentId: agent.id, userId, sessionId }, owner, {
    signal,
    onLost: () => {
      interrupt('session_lost');
    },
  });
}

async function callModel(
  { database, models }: RunParts,
  { id, agent, message, context, userId, sessionId, createdAt }: InvocationInput,
  { running: { signal, deadline, interrupt }, answer, onText, beginAttempt }: RunOptions,
  run: Run,
): Promise<Completion> {
  const assertRoom = (hasRoom: boolean) => {
    if (hasRoom) return;
    interrupt('overloaded');
    throw reasonOf(signal);
  };
  const history =
    sessionId === null
      ? []
      : await readHistory(database, { agentId: agent.id, userId, sessionId }, agent.historyLimit);
  if ((await beginAttempt?.()) === false) throw new Interruption('work_lost');
  run.journal.modelCalled(Math.max(0, Date.now() - createdAt.getTime()));
  let response = '';
  const prompt = {
    instructions: agent.instructions,
    temperature: agent.temperature,
    history,
    message,
    context: context ?? {},
    agent: { id: agent.id, name: agent.name },
    requestId: id,
  };
  const tokensUsed = await converse(() => models.open(agent), prompt, {
    signal,
    deadline,
    // Nobody waits for an asynchronous invocation.
    ...(beginAttempt ? { maxRetryAfterMs: Infinity } : {}),
    onRetry: run.journal.retried,
    onTokens: (known) => {
      run.tokensUsed = known;
    },
    meter: {
      // As received, and as the text that it then becomes.
      announce: (bytes) => {
        assertRoom(answer.expect(bytes * (1 + bytesPerCharacter)));
      },
      receive: (bytes) => {
        assertRoom(answer.grow(bytes));
      },
    },
    onText: (text) => {
      assertRoom(answer.grow(bytesPerPiece + bytesPerCharacter * text.length));
      response += text;
      onText?.(text);
    },
  });
  return { response, tokensUsed };
}

async function recordOutcome(
  parts: RunParts,
  invocation: InvocationInput,
  options: RunOptions,
  result: RunResult,
  { journal, lease, tokensUsed }: Run,
): Promise<InvocationOutcome> {
  const { createdAt, agent } = invocation;
  const finishedAt = new Date();
  const durationMs = durationBetween(createdAt, finishedAt);
  const outcome = { ...result, tokensUsed, finishedAt, durationMs };
  if ('failure' in result) await options.beforeFailure?.(result.failure);
  const recording = await parts.recorder.record(
    recordOf(invocation, outcome, journal.close(outcome), {
      sessionOwner: lease?.owner ?? null,
      worker: options.worker,
      idempotency: options.settleKey(outcome),
    }),
  );
  switch (recording) {
    case 'recorded':
      return outcome;
    case 'session_lost': {
      if (options.worker !== null) throw new Interruption('session_lost');
      // Another message may have been recorded in between, so this completion no longer follows its history.
      const failure = toFailure(new Interruption('session_lost'), agent.timeoutMs);
      const run = { journal, tokensUsed, lease: undefined };
      return recordOutcome(parts, invocation, options, { failure }, run);
    }
    case 'agent_gone':
      throw agentNotFound(agent.name);
    case 'key_lost':
      throw requestInProgress();
    case 'worker_lost':
      throw new Interruption('work_lost');
  }
}

/** Within the range of the contract, even if the clock was changed meanwhile. */
function durationBetween(start: Date, end: Date): number {
  const { minimum, maximum } = constraints.DurationMs;
  return Math.min(maximum, Math.max(minimum, end.getTime() - start.getTime()));
}

/** Runs one invocation: acquires the session lease, calls the model, and records the outcome. */
import { constraints } from '../../../generated/constraints.js';
import { reasonOf } from '../../lib/abort.js';
import { converse } from '../../runtime/converse.js';
import type { Models } from '../../runtime/models.js';
import type { InvocationRecorder, KeySettlement } from '../../store/record-invocation.js';
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
  onText?: ((text: string) => void) | undefined;
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
  const { running, rejection, worker } = options;
  const journal = openJournal(invocation);
  let lease: SessionLease | undefined;
  let tokensUsed: number | null = null;
  const onTokens = (known: number) => {
    tokensUsed = known;
  };
  let result: RunResult;
  try {
    if (!rejection) lease = await acquireSession(parts.sessions, invocation, options);
    result = rejection
      ? { failure: rejection }
      : { completion: await callModel(parts, invocation, options, { journal, onTokens }) };
  } catch (error) {
    if (worker !== null && belongsToAnotherWorker(error)) {
      await lease?.release();
      throw error;
    }
    result = { failure: toFailure(error, invocation.agent.timeoutMs) };
  }
  running.dispose();
  lease?.stopRenewal();
  return recordOutcome(parts, invocation, options, { journal, result, tokensUsed, lease });
}

function belongsToAnotherWorker(error: unknown): boolean {
  return error instanceof Interruption && (error.kind === 'stopping' || error.kind === 'work_lost');
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
  { running: { signal, deadline, interrupt }, answer, onText }: RunOptions,
  { journal, onTokens }: { journal: Journal; onTokens: (tokensUsed: number) => void },
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
  journal.modelCalled(Math.max(0, Date.now() - createdAt.getTime()));
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
    onRetry: journal.retried,
    onTokens,
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

interface FinishedRun {
  journal: Journal;
  result: RunResult;
  tokensUsed: number | null;
  lease: SessionLease | undefined;
}

async function recordOutcome(
  parts: RunParts,
  invocation: InvocationInput,
  options: RunOptions,
  { journal, result, tokensUsed, lease }: FinishedRun,
): Promise<InvocationOutcome> {
  const { createdAt, agent } = invocation;
  const finishedAt = new Date();
  const durationMs = durationBetween(createdAt, finishedAt);
  const outcome = { ...result, tokensUsed, finishedAt, durationMs };
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
      // Another message may have been recorded in between, so this completion no longer follows its history.
      const failure = toFailure(new Interruption('session_lost'), agent.timeoutMs);
      const failed = { journal, result: { failure }, tokensUsed, lease: undefined };
      return recordOutcome(parts, invocation, options, failed);
    }
    case 'agent_gone':
      throw agentNotFound(agent.name);
    case 'key_lost':
      await lease?.release();
      throw requestInProgress();
    case 'worker_lost':
      await lease?.release();
      throw new Interruption('work_lost');
  }
}

/** Within the range of the contract, even if the clock was changed meanwhile. */
function durationBetween(start: Date, end: Date): number {
  const { minimum, maximum } = constraints.DurationMs;
  return Math.min(maximum, Math.max(minimum, end.getTime() - start.getTime()));
}

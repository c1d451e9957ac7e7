/** Runs one invocation from its turn in the session to the record of how it ended. */
import { converse } from '../../runtime/converse.js';
import type { Models } from '../../runtime/models.js';
import type { InvocationRecorder, KeySettlement } from '../../store/record-invocation.js';
import { readHistory } from '../../store/sessions.js';
import type { Database } from '../../store/database.js';
import { agentNotFound } from '../caller.js';
import { stillRunning } from '../errors.js';
import { explainFailure } from './failure.js';
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
  /** Whoever holds an asynchronous invocation; null for a synchronous one. */
  worker: string | null;
  onText?: ((text: string) => void) | undefined;
  /** What becomes of the Idempotency-Key with that outcome; null where there is none. */
  settleKey: (outcome: InvocationOutcome) => KeySettlement | null;
  /** Fails without asking the model. */
  refusal?: Failure | undefined;
}

/**
 * Returns how it ended, once that is recorded. Throws where there is nothing to record: the agent is gone, the
 * Idempotency-Key is another's, or the work is to be done by another worker.
 */
export async function runInvocation(
  parts: RunParts,
  invocation: InvocationInput,
  options: RunOptions,
): Promise<InvocationOutcome> {
  const { running, refusal, worker } = options;
  const journal = openJournal(invocation);
  let turn: SessionLease | undefined;
  let ending: RunResult;
  try {
    if (!refusal) turn = await enterSession(parts.sessions, invocation, options);
    ending = refusal
      ? { failure: refusal }
      : { completion: await ask(parts, invocation, options, journal) };
  } catch (fault) {
    if (worker !== null && isAnothersToDo(fault)) {
      await turn?.leave();
      throw fault;
    }
    ending = { failure: explainFailure(fault, invocation.agent.timeoutMs) };
  }
  running.release();
  turn?.end();
  return conclude(parts, invocation, options, journal, ending, turn);
}

function isAnothersToDo(fault: unknown): boolean {
  return fault instanceof Interruption && (fault.kind === 'stopping' || fault.kind === 'work_lost');
}

async function enterSession(
  sessions: Sessions,
  { id, agent, sessionId }: InvocationInput,
  { running: { signal, interrupt }, worker }: RunOptions,
): Promise<SessionLease | undefined> {
  if (sessionId === null) return undefined;
  // Another run of the same invocation, after its worker died, is another owner.
  const owner = worker === null ? id : `${worker} ${id}`;
  return sessions.enter({ agentId: agent.id, sessionId }, owner, {
    signal,
    onLost: () => {
      interrupt('session_lost');
    },
  });
}

async function ask(
  { database, models }: RunParts,
  { id, agent, message, context, sessionId, createdAt }: InvocationInput,
  { running: { signal, deadline }, onText }: RunOptions,
  journal: Journal,
): Promise<Completion> {
  const history =
    sessionId === null
      ? []
      : await readHistory(database, { agentId: agent.id, sessionId }, agent.historyLimit);
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
    onText: (text) => {
      response += text;
      onText?.(text);
    },
  });
  return { response, tokensUsed };
}

const longestMs = 86_400_000;

async function conclude(
  parts: RunParts,
  invocation: InvocationInput,
  options: RunOptions,
  journal: Journal,
  ending: RunResult,
  turn: SessionLease | undefined,
): Promise<InvocationOutcome> {
  const { createdAt, agent } = invocation;
  const finishedAt = new Date();
  const elapsed = finishedAt.getTime() - createdAt.getTime();
  const outcome = { ...ending, finishedAt, durationMs: Math.min(longestMs, Math.max(0, elapsed)) };
  const recording = await parts.recorder.record(
    recordOf(invocation, outcome, journal.close(outcome), {
      sessionOwner: turn?.owner ?? null,
      worker: options.worker,
      idempotency: options.settleKey(outcome),
    }),
  );
  switch (recording) {
    case 'recorded':
      return outcome;
    case 'session_lost': {
      // Somebody else may have spoken in between, so that this answer fits nothing any more.
      const failure = explainFailure(new Interruption('session_lost'), agent.timeoutMs);
      return conclude(parts, invocation, options, journal, { failure }, undefined);
    }
    case 'agent_gone':
      throw agentNotFound(agent.name);
    case 'key_lost':
      await turn?.leave();
      throw stillRunning();
    case 'worker_lost':
      await turn?.leave();
      throw new Interruption('work_lost');
  }
}

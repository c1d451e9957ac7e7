/** Runs one invocation from its turn in the session to the record of how it ended. */
import { converse } from '../../runtime/converse.js';
import type { Models } from '../../runtime/models.js';
import type { InvocationRecorder, KeySettlement } from '../../store/record-invocation.js';
import { readHistory } from '../../store/session-history.js';
import type { Sql } from '../../store/sql.js';
import { agentNotFound } from '../caller.js';
import { requestInProgress } from '../errors.js';
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
  sql: Sql;
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
  rejection?: Failure | undefined;
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
  const { running, rejection: refusal, worker } = options;
  const journal = openJournal(invocation);
  let turn: SessionLease | undefined;
  let ending: RunResult;
  try {
    if (!refusal) turn = await acquireSession(parts.sessions, invocation, options);
    ending = refusal
      ? { failure: refusal }
      : { completion: await callModel(parts, invocation, options, journal) };
  } catch (fault) {
    if (worker !== null && belongsToAnotherWorker(fault)) {
      await turn?.release();
      throw fault;
    }
    ending = { failure: toFailure(fault, invocation.agent.timeoutMs) };
  }
  running.dispose();
  turn?.stopRenewal();
  return recordOutcome(parts, invocation, options, journal, ending, turn);
}

function belongsToAnotherWorker(fault: unknown): boolean {
  return fault instanceof Interruption && (fault.kind === 'stopping' || fault.kind === 'work_lost');
}

async function acquireSession(
  sessions: Sessions,
  { id, agent, sessionId }: InvocationInput,
  { running: { signal, interrupt }, worker }: RunOptions,
): Promise<SessionLease | undefined> {
  if (sessionId === null) return undefined;
  // Another run of the same invocation, after its worker died, is another owner.
  const owner = worker === null ? id : `${worker} ${id}`;
  return sessions.acquire({ agentId: agent.id, sessionId }, owner, {
    signal,
    onLost: () => {
      interrupt('session_lost');
    },
  });
}

async function callModel(
  { sql, models }: RunParts,
  { id, agent, message, context, sessionId, createdAt }: InvocationInput,
  { running: { signal, deadline }, onText }: RunOptions,
  journal: Journal,
): Promise<Completion> {
  const history =
    sessionId === null
      ? []
      : await readHistory(sql, { agentId: agent.id, sessionId }, agent.historyLimit);
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

async function recordOutcome(
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
      const failure = toFailure(new Interruption('session_lost'), agent.timeoutMs);
      return recordOutcome(parts, invocation, options, journal, { failure }, undefined);
    }
    case 'agent_gone':
      throw agentNotFound(agent.name);
    case 'key_lost':
      await turn?.release();
      throw requestInProgress();
    case 'worker_lost':
      await turn?.release();
      throw new Interruption('work_lost');
  }
}

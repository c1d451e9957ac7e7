/** Collects the log entries of an invocation, which are written together when it has ended. */
import { newId } from '../../lib/typeid.js';
import { maxRetries, type Retry } from '../../runtime/converse.js';
import type { LogRecord } from '../../store/record-invocation.js';
import type { InvocationInput, InvocationOutcome } from './invocation.js';

export interface Journal {
  modelCalled: (waitedMs: number) => void;
  retried: (retry: Retry) => void;
  /** All entries, the last one with the outcome. */
  close: (outcome: InvocationOutcome) => LogRecord[];
}

export function openJournal({ agent, sessionId, userId, createdAt }: InvocationInput): Journal {
  const received = entry('info', 'Invocation received', createdAt, {
    ...(sessionId === null ? {} : { session_id: sessionId }),
    ...(userId === null ? {} : { user_id: userId }),
  });
  const entries = [received];

  return {
    modelCalled: (waitedMs) => {
      const metadata = {
        model: agent.model,
        deployment_id: agent.deploymentId,
        waited_ms: waitedMs,
      };
      entries.push(entry('debug', `Model ${agent.model} called`, new Date(), metadata));
    },
    retried: ({ retry, waitMs, failure }) => {
      const message = `Model call failed: ${failure.message}; retry ${retry} of ${maxRetries}`;
      entries.push(entry('warn', message, new Date(), { attempt: retry, wait_ms: waitMs }));
    },
    close: (outcome) => [...entries, outcomeEntry(outcome)],
  };
}

function outcomeEntry(outcome: InvocationOutcome): LogRecord {
  const { durationMs, finishedAt } = outcome;
  if ('completion' in outcome) {
    return entry('info', `Invocation answered in ${durationMs} ms`, finishedAt, {
      duration_ms: durationMs,
      tokens_used: outcome.completion.tokensUsed,
    });
  }
  const { code, reason } = outcome.failure;
  return entry(
    // A client that disconnects is no problem of the service or the agent; anything else is.
    code === 'cancelled' ? 'warn' : 'error',
    `Invocation failed after ${durationMs} ms: ${reason}`,
    finishedAt,
    { code, duration_ms: durationMs },
  );
}

function entry(
  level: LogRecord['level'],
  message: string,
  at: Date,
  metadata: LogRecord['metadata'],
): LogRecord {
  return { id: newId('log'), at, level, message, metadata };
}

/** Collects the log entries of an invocation, which are written together when it has ended. */
import { escapeUnprintable } from '../../lib/printable.js';
import { newId } from '../../lib/typeid.js';
import { type Fallback, maxRetries, type Retry } from '../../runtime/call-model.js';
import type { EndedTool } from '../../runtime/tools/toolbox.js';
import type { LogRecord } from '../../store/record-invocation.js';
import { type InvocationInput, type InvocationOutcome, isRemembered } from './invocation.js';

export interface Journal {
  modelCalled: (waitedMs: number) => void;
  retried: (retry: Retry) => void;
  fellBack: (fallback: Fallback) => void;
  toolWithdrawn: (tool: { name: string; reason: string }) => void;
  toolUnknown: (name: string) => void;
  toolEnded: (call: EndedTool) => void;
  /** All entries, the last one with the outcome. */
  close: (outcome: InvocationOutcome) => LogRecord[];
}

/** A message that is not to be remembered leaves neither its user nor its session in the log, nor what tools were told of it. */
export function openJournal(invocation: InvocationInput): Journal {
  const { agent, createdAt } = invocation;
  const isNamed = isRemembered(invocation);
  const sessionId = isNamed ? invocation.sessionId : null;
  const userId = isNamed ? invocation.userId : null;
  const received = entry('info', 'Invocation received', createdAt, {
    ...(sessionId === null ? {} : { session_id: sessionId }),
    ...(userId === null ? {} : { user_id: userId }),
  });
  const entries = [received];
  const logsArguments = agent.options.tools?.log === 'arguments' && isNamed;

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
    fellBack: ({ from, to, failure }) => {
      const message = `Model ${from} failed: ${failure.message}; ${to} takes over`;
      entries.push(entry('warn', message, new Date(), { model: from, fallback: to }));
    },
    toolWithdrawn: ({ name, reason }) => {
      const message = `Tool ${name} is withdrawn: ${reason}`;
      entries.push(entry('warn', message, new Date(), { tool: name }));
    },
    toolUnknown: (name) => {
      const message = `The model called a tool that there is not: ${shortened(name)}`;
      entries.push(entry('warn', message, new Date(), {}));
    },
    toolEnded: (call) => {
      const { failure } = call;
      const outcome = failure === undefined ? 'succeeded' : 'failed';
      const reason = failure === undefined ? '' : `: ${shortened(failure)}`;
      const message = `Tool ${call.name} ${outcome} after ${call.durationMs} ms${reason}`;
      const metadata = {
        tool: call.name,
        call_id: call.id,
        outcome,
        duration_ms: call.durationMs,
        result_bytes: call.resultBytes,
        ...(logsArguments ? { arguments: shortened(JSON.stringify(call.arguments)) } : {}),
      };
      entries.push(entry(failure === undefined ? 'info' : 'warn', message, new Date(), metadata));
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
      model: outcome.completion.model,
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

const maxShownLength = 1_000;

/** What models and tools say is written by strangers, and may be very long. */
function shortened(text: string): string {
  const shown = text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
  return escapeUnprintable(shown.toWellFormed());
}

function entry(
  level: LogRecord['level'],
  message: string,
  at: Date,
  metadata: LogRecord['metadata'],
): LogRecord {
  return { id: newId('log'), at, level, message, metadata };
}

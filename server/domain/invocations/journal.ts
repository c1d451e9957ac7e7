/** Collects the log entries of an invocation. They are written together when it ends, those about tools earlier (tool-log.ts). */
import { escapeUnprintable } from '../../lib/text/printable.js';
import { currentDate } from '../../lib/time/clock.js';
import { newId } from '../../lib/data/typeid.js';
import type { Fallback, Retry } from '../../runtime/call-model.js';
import type { NextCall } from '../../runtime/converse.js';
import type { CallEnd } from '../../runtime/model.js';
import type { LeftOut } from '../../runtime/shorten-prompt.js';
import { maxLoggedLength } from '../../runtime/limits.js';
import type { CalledTool, EndedTool, InterruptedTool } from '../../runtime/tools/toolbox.js';
import type { LogRecord } from '../../store/invocations/record.js';
import { type InvocationInput, type InvocationOutcome, isRemembered } from './invocation.js';

export interface Journal {
  /** Adds a field to the last entry instead of an entry of its own, which every invocation would have. */
  modelCalled: (waitedMs: number) => void;
  modelCalledAgain: (again: NextCall) => void;
  retried: (retry: Retry) => void;
  fellBack: (fallback: Fallback) => void;
  settingChanged: (change: { model: string; changed: string }) => void;
  leftOut: (leftOut: LeftOut) => void;
  callsWithheld: (withheld: { calls: number; reason: CallEnd['ended'] }) => void;
  stepLimitReached: (maxSteps: number) => void;
  toolWithdrawn: (tool: { name: string; reason: string }) => void;
  toolUnknown: (name: string) => void;
  toolCalled: (call: CalledTool) => void;
  toolEnded: (call: EndedTool) => void;
  toolInterrupted: (call: InterruptedTool) => void;
  /** Removes and returns the entries so far, to be written before the invocation ends. */
  take: () => LogRecord[];
  /** Entries that could not be written. */
  putBack: (entries: readonly LogRecord[]) => void;
  /** The entries that are left, the last one with the outcome. */
  close: (outcome: InvocationOutcome) => LogRecord[];
}

/**
 * The log of an invocation that is not remembered contains neither its user and session, nor tool arguments, nor texts of models and
 * tools, which may repeat the message. Such texts are never part of an entry's message, so that they can be erased with the user.
 */
export function openJournal(invocation: InvocationInput): Journal {
  const { agent } = invocation;
  const logsPersonalData = isRemembered(invocation);
  const logsArguments = agent.options.tools?.log === 'arguments' && logsPersonalData;
  // Decides which tokens may see all of an entry, and finds it when the user is erased, even if a crash leaves no record of the invocation.
  const owner = logsPersonalData ? { user_id: invocation.userId ?? undefined } : {};
  const quoted = (said: string | undefined) =>
    said === undefined || !logsPersonalData ? {} : { said: shortened(said) };
  const argumentsOf = (call: CalledTool) =>
    logsArguments ? { arguments: shortened(JSON.stringify(call.arguments)) } : {};
  const entries: LogRecord[] = [];
  const add = (level: LogRecord['level'], message: string, metadata: LogRecord['metadata']) => {
    entries.push(entry(level, message, currentDate(), { ...metadata, ...owner }));
  };
  const settingsChanged = new Set<string>();
  let waitedMs: number | undefined;

  return {
    modelCalled: (waited) => {
      waitedMs = waited;
    },
    modelCalledAgain: ({ call, reason }) => {
      add('debug', `Model called again: ${reason}`, { call });
    },
    retried: ({ retry, of, waitMs, failure }) => {
      const which = of === undefined ? `retry ${retry}` : `retry ${retry} of ${of}`;
      const message = `Model call failed: ${failure.message}; ${which}`;
      const metadata = { attempt: retry, wait_ms: waitMs, ...quoted(failure.said) };
      add('warn', message, metadata);
    },
    fellBack: ({ from, to, failure }) => {
      const message = `Model ${from} failed: ${failure.message}; ${to} takes over`;
      const metadata = { model: from, fallback: to, ...quoted(failure.said) };
      add('warn', message, metadata);
    },
    settingChanged: ({ model, changed }) => {
      const message = `A setting is not sent to ${model} as it is: ${changed}`;
      // Each call of the run says it, and earlier entries may have been written already.
      if (settingsChanged.has(message)) return;
      settingsChanged.add(message);
      add('warn', message, { model });
    },
    leftOut: ({ turns, resultLength }) => {
      const parts = [
        ...(turns > 0
          ? [`${turns} earlier ${turns === 1 ? 'turn was' : 'turns were'} left out`]
          : []),
        ...(resultLength === undefined
          ? []
          : [`tool results were cut to ${resultLength} characters`]),
      ];
      const message = `The prompt was too long for the model: ${parts.join(', ')}`;
      const metadata = { turns_left_out: turns, result_length: resultLength };
      add('warn', message, metadata);
    },
    callsWithheld: ({ calls, reason }) => {
      const cause = reasonsToWithhold[reason];
      const message = `${calls} tool ${calls === 1 ? 'call was' : 'calls were'} not made: ${cause}`;
      add('warn', message, { calls });
    },
    stepLimitReached: (maxSteps) => {
      const message = `The model had to answer after ${maxSteps} calls, the limit of tools.maxSteps`;
      add('warn', message, { max_steps: maxSteps });
    },
    toolWithdrawn: ({ name, reason }) => {
      const message = `Tool ${name} is withdrawn: ${reason}`;
      add('warn', message, { tool: name });
    },
    toolUnknown: (name) => {
      const message = 'The model called a tool that does not exist';
      add('warn', message, quoted(name));
    },
    toolCalled: (call) => {
      const metadata = { tool: call.name, call_id: call.id, ...argumentsOf(call) };
      add('info', `Tool ${call.name} called`, metadata);
    },
    toolEnded: (call) => {
      const { failure } = call;
      const outcome = failure === undefined ? 'succeeded' : 'failed';
      const reason = failure === undefined ? '' : `: ${failure.message}`;
      const message = `Tool ${call.name} ${outcome} after ${call.durationMs} ms${reason}`;
      const metadata = {
        tool: call.name,
        call_id: call.id,
        outcome,
        duration_ms: call.durationMs,
        result_bytes: call.resultBytes,
        ...quoted(failure?.said),
        // Those of a call that was made are in the entry of its beginning.
        ...(call.wasMade ? {} : argumentsOf(call)),
      };
      add(failure === undefined ? 'info' : 'warn', message, metadata);
    },
    toolInterrupted: ({ id, name, durationMs }) => {
      const message = `Tool ${name} interrupted after ${durationMs} ms: the call may have taken effect`;
      const metadata = {
        tool: name,
        call_id: id,
        outcome: 'interrupted',
        duration_ms: durationMs,
      };
      add('warn', message, metadata);
    },
    take: () => entries.splice(0),
    putBack: (unwritten) => {
      entries.unshift(...unwritten);
    },
    close: (outcome) => [
      ...entries,
      outcomeEntry(outcome, {
        waited_ms: waitedMs,
        model: agent.model,
        deployment_id: agent.deploymentId ?? undefined,
        ...('failure' in outcome ? quoted(outcome.failure.said) : {}),
        session_id: logsPersonalData ? (invocation.sessionId ?? undefined) : undefined,
        ...owner,
      }),
    ],
  };
}

const reasonsToWithhold: Record<CallEnd['ended'], string> = {
  stop: 'the model had to answer',
  length: 'the model reached its output limit in the middle of its reply',
  content_filter: 'the provider stopped the reply',
};

/** `common` is the metadata that does not depend on the outcome. */
function outcomeEntry(outcome: InvocationOutcome, common: LogRecord['metadata']): LogRecord {
  const { durationMs, finishedAt } = outcome;
  const metadata = { ...common, duration_ms: durationMs };
  if ('completion' in outcome) {
    const { tokensUsed, model, finishReason, usage } = outcome.completion;
    const message = `Invocation answered in ${durationMs} ms`;
    return entry('info', message, finishedAt, {
      ...metadata,
      tokens_used: tokensUsed,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cached_input_tokens: usage.cachedInputTokens,
      finish_reason: finishReason,
      model,
    });
  }
  const { code, reason } = outcome.failure;
  // A cancellation is not a fault of the service or the agent.
  const level = code === 'cancelled' ? 'warn' : 'error';
  const message = `Invocation failed after ${durationMs} ms: ${reason}`;
  return entry(level, message, finishedAt, { ...metadata, code });
}

/** The texts of models and tools are untrusted and can be very long. */
function shortened(text: string): string {
  const shown = text.length > maxLoggedLength ? `${text.slice(0, maxLoggedLength)}…` : text;
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

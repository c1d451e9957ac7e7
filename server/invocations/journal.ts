/** Collects the log entries of an invocation. They are written together when it ends, those about tools earlier (tool-log.ts). */
import { escapeUnprintable } from '../lib/text/printable.js';
import { currentDate } from '../lib/time/clock.js';
import { newId } from '../lib/data/typeid.js';
import type { Fallback, Retry } from '../models/call-model.js';
import type { Decision, NextCall } from '../models/converse.js';
import type { CallEnd } from '../models/model.js';
import type { LeftOut } from '../models/shorten-prompt.js';
import { maxLoggedLength } from '../models/limits.js';
import type { CalledTool, EndedTool, InterruptedTool } from '../models/tools/toolbox.js';
import type { LogRecord } from './record.js';
import type { CommittedRun } from './steps.js';
import {
  type AskedRun,
  type InvocationInput,
  type InvocationOutcome,
  isRemembered,
} from './invocation.js';

/**
 * The log of an invocation that is not remembered contains neither its user and session, nor tool arguments, nor texts of models and
 * tools, which may repeat the message. Such texts are never part of an entry's message, so that they can be erased with the user.
 */
export class Journal {
  readonly #invocation: InvocationInput;
  readonly #logsPersonalData: boolean;
  readonly #logsArguments: boolean;
  /**
   * The user decides which tokens may see all of an entry, and finds it when the user is erased, even if a crash leaves no record of the
   * invocation. And the invocation that asked, if one did.
   */
  readonly #owner: Record<string, string | undefined>;
  /** In every entry. Undefined: production. */
  readonly #environment: string | undefined;
  readonly #entries: LogRecord[] = [];
  readonly #settingsChanged = new Set<string>();
  #waitedMs: number | undefined;

  constructor(invocation: InvocationInput) {
    this.#invocation = invocation;
    this.#logsPersonalData = isRemembered(invocation);
    this.#logsArguments =
      this.#logsPersonalData && invocation.agent.options.tools?.log === 'arguments';
    this.#environment = invocation.environment ?? undefined;
    const { asked, userId } = invocation;
    this.#owner = {
      ...(asked ? { parent_request_id: asked.requestId, parent_agent_id: asked.agentId } : {}),
      ...(this.#logsPersonalData ? { user_id: userId ?? undefined } : {}),
    };
  }

  /** Adds a field to the last entry instead of an entry of its own, which every invocation would have. */
  modelCalled(waitedMs: number): void {
    this.#waitedMs = waitedMs;
  }

  modelCalledAgain({ call, reason }: NextCall): void {
    this.#add('debug', `Model called again: ${reason}`, { call });
  }

  retried({ retry, of, waitMs, failure }: Retry): void {
    const which = of === undefined ? `retry ${retry}` : `retry ${retry} of ${of}`;
    const message = `Model call failed: ${failure.message}; ${which}`;
    const metadata = { attempt: retry, wait_ms: waitMs, ...this.#quoted(failure.said) };
    this.#add('warn', message, metadata);
  }

  fellBack({ from, to, failure }: Fallback): void {
    const message = `Model ${from} failed: ${failure.message}; ${to} takes over`;
    const metadata = { model: from, fallback: to, ...this.#quoted(failure.said) };
    this.#add('warn', message, metadata);
  }

  settingChanged({ model, changed }: { model: string; changed: string }): void {
    const message = `A setting is not sent to ${model} as it is: ${changed}`;
    // Each call of the run says it, and earlier entries may have been written already.
    if (this.#settingsChanged.has(message)) return;
    this.#settingsChanged.add(message);
    this.#add('warn', message, { model });
  }

  leftOut({ turns, resultLength }: LeftOut): void {
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
    this.#add('warn', message, metadata);
  }

  callsWithheld({ calls, reason }: { calls: number; reason: CallEnd['ended'] }): void {
    const cause = reasonsToWithhold[reason];
    const message = `${calls} tool ${calls === 1 ? 'call was' : 'calls were'} not made: ${cause}`;
    this.#add('warn', message, { calls });
  }

  stepLimitReached(maxSteps: number): void {
    const message = `The model had to answer after ${maxSteps} calls, the limit of tools.maxSteps`;
    this.#add('warn', message, { max_steps: maxSteps });
  }

  toolWithdrawn({ name, reason }: { name: string; reason: string }): void {
    const message = `Tool ${name} is withdrawn: ${reason}`;
    this.#add('warn', message, { tool: name });
  }

  toolUnknown(name: string): void {
    const message = 'The model called a tool that does not exist';
    this.#add('warn', message, this.#quoted(name));
  }

  toolCalled(call: CalledTool): void {
    const metadata = { tool: call.name, call_id: call.id, ...this.#argumentsOf(call) };
    this.#add('info', `Tool ${call.name} called`, metadata);
  }

  /** `asked` is the invocation of another agent that the call was about. */
  toolEnded(call: EndedTool, asked?: AskedRun): void {
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
      ...childOf(asked),
      ...this.#quoted(failure?.said),
      // Those of a call that was made are in the entry of its beginning.
      ...(call.wasMade ? {} : this.#argumentsOf(call)),
    };
    this.#add(failure === undefined ? 'info' : 'warn', message, metadata);
  }

  toolInterrupted({ id, name, durationMs }: InterruptedTool, asked?: AskedRun): void {
    const message = `Tool ${name} interrupted after ${durationMs} ms: the call may have taken effect`;
    const metadata = {
      tool: name,
      call_id: id,
      outcome: 'interrupted',
      duration_ms: durationMs,
      ...childOf(asked),
    };
    this.#add('warn', message, metadata);
  }

  wentOn({ length, conversation: { requested } }: CommittedRun): void {
    if (requested && requested.decisions.size > 0 && !requested.isBegun) {
      this.#decided(requested.decisions);
    } else this.#add('info', `Goes on after ${length} stored steps`, { steps: length });
  }

  #decided(decisions: ReadonlyMap<string, Decision>): void {
    for (const [call, { decision, note }] of decisions) {
      const message = `Call ${call} ${decision === 'approve' ? 'approved' : 'rejected'}`;
      const by = this.#invocation.createdBy ?? undefined;
      this.#add('info', message, { call_id: call, decision, by, ...this.#quoted(note) });
    }
  }

  /** Another process goes on, or a repeat of the request does. */
  interrupted(reason: string): void {
    this.#add('warn', `Interrupted: ${reason}; a repeat of the request goes on`);
  }

  /** Removes and returns the entries so far, to be written before the invocation ends. */
  take(): LogRecord[] {
    return this.#entries.splice(0);
  }

  /** Entries that could not be written. */
  putBack(unwritten: readonly LogRecord[]): void {
    this.#entries.unshift(...unwritten);
  }

  /** The entries that are left, the last one with the outcome. */
  close(outcome: InvocationOutcome): LogRecord[] {
    const { agent, sessionId, schedule } = this.#invocation;
    const last = outcomeEntry(outcome, {
      waited_ms: this.#waitedMs,
      model: 'completion' in outcome ? outcome.completion.model : agent.model,
      deployment_id: agent.deploymentId ?? undefined,
      schedule: schedule ?? undefined,
      ...('failure' in outcome ? this.#quoted(outcome.failure.said) : {}),
      environment: this.#environment,
      session_id: this.#logsPersonalData ? (sessionId ?? undefined) : undefined,
      ...this.#owner,
    });
    return [...this.#entries, last];
  }

  #add(level: LogRecord['level'], message: string, metadata: LogRecord['metadata'] = {}): void {
    const loggedAt = currentDate();
    const common = { environment: this.#environment, ...this.#owner };
    this.#entries.push(
      newEntry({ level, message, loggedAt, metadata: { ...metadata, ...common } }),
    );
  }

  #quoted(said: string | undefined): { said?: string } {
    return said === undefined || !this.#logsPersonalData ? {} : { said: shortened(said) };
  }

  #argumentsOf(call: CalledTool): { arguments?: string } {
    return this.#logsArguments ? { arguments: shortened(JSON.stringify(call.arguments)) } : {};
  }
}

function childOf(asked: AskedRun | undefined) {
  return asked ? { child_request_id: asked.requestId, child_agent_id: asked.agentId } : {};
}

const reasonsToWithhold: Record<CallEnd['ended'], string> = {
  stop: 'the model had to answer',
  length: 'the model reached its output limit in the middle of its reply',
  content_filter: 'the provider stopped the reply',
};

/** `common` is the metadata that all outcomes have. */
function outcomeEntry(outcome: InvocationOutcome, common: LogRecord['metadata']): LogRecord {
  const { durationMs, finishedAt: loggedAt } = outcome;
  if ('completion' in outcome) {
    const { tokensUsed: ownTokens, finishReason, approvals } = outcome.completion;
    const { tokensUsed, usage } = outcome.total;
    const tools = approvals.map(({ tool }) => tool).join(', ');
    const message =
      approvals.length === 0
        ? `Invocation answered in ${durationMs} ms`
        : `Invocation waits for approval after ${durationMs} ms: ${tools}`;
    const metadata = {
      duration_ms: durationMs,
      tokens_used: tokensUsed,
      own_tokens: ownTokens === tokensUsed ? undefined : ownTokens,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cached_input_tokens: usage.cachedInputTokens,
      finish_reason: finishReason,
      call_ids: approvals.length === 0 ? undefined : approvals.map(({ call_id }) => call_id),
      ...common,
    };
    return newEntry({ level: 'info', message, loggedAt, metadata });
  }
  const { code, reason } = outcome.failure;
  // A cancellation is not a fault of the service or the agent.
  const level = code === 'cancelled' ? 'warn' : 'error';
  const message = `Invocation failed after ${durationMs} ms: ${reason}`;
  const metadata = { duration_ms: durationMs, code, ...common };
  return newEntry({ level, message, loggedAt, metadata });
}

/** The texts of models and tools are untrusted and can be very long. */
function shortened(text: string): string {
  const shown = text.length > maxLoggedLength ? `${text.slice(0, maxLoggedLength)}…` : text;
  return escapeUnprintable(shown.toWellFormed());
}

function newEntry(entry: Omit<LogRecord, 'id'>): LogRecord {
  return { id: newId('log'), ...entry };
}

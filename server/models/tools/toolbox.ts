/** Calls the tools that a model requests: with checked arguments, with a timeout, and without retries. */
import { type ConversationObserver, noopObserver } from '../observer.js';
import type {
  CallOutcome,
  RequestedCall,
  RequestedCalls,
  Toolbox,
  WaitingCall,
} from '../converse.js';
import { maxToolCalls } from '../limits.js';
import type { ToolCall, ToolResult } from '../model.js';
import { SchemaFailure, checkJson } from '../schema-checks.js';
import { type CallIdentity, type Tool, ToolFailure, ToolNotSent } from './tool.js';

export interface CalledTool {
  /** `call_1`, `call_2` and so on within a conversation. */
  id: string;
  name: string;
  arguments: unknown;
  hasEffect: boolean;
}

export interface EndedTool extends CalledTool {
  durationMs: number;
  /** The size of the text that the model receives. */
  resultBytes: number;
  /** Undefined if it succeeded. */
  failure?: ToolFailure;
  /** False: its arguments are invalid or it was rejected, so nothing was sent. */
  wasMade: boolean;
  result: ToolResult;
}

/** A call that was made, and whose result is not known because the conversation was stopped. */
export interface InterruptedTool extends CalledTool {
  durationMs: number;
}

interface ToolListener {
  /** Checks of arguments with the same key share the check threads. */
  queueKey: string;
  /** With the id of a call, it identifies the call to the tool's server. */
  conversationId: string;
  /** Awaited before the calls of a reply that can be made. An error ends the conversation, and none of them is made. */
  beforeCalls: (calls: readonly CalledTool[]) => Promise<void>;
  onStart: (call: CalledTool) => void;
  onEnd: (call: EndedTool) => void;
  onInterrupted: (call: InterruptedTool) => void;
  scope?: Pick<ConversationObserver, 'toolCall'>;
  /** Called when the model requests a tool that does not exist. */
  onUnknown: (name: string) => void;
}

export function createToolbox(
  tools: readonly Tool[],
  { maxSteps, callsBefore = 0 }: { maxSteps: number; callsBefore?: number | undefined },
  listener: ToolListener,
): Toolbox {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const { scope = noopObserver } = listener;
  const toolsThereAre = `There are: ${tools.map(({ name }) => name).join(', ')}.`;
  let called = callsBefore;

  const number = (call: ToolCall, index: number): RequestedCall => {
    if (index >= maxToolCalls || !byName.has(call.name)) return { call };
    called += 1;
    return { call, id: `call_${called}` };
  };

  const prepare = async (
    { call, id }: RequestedCall,
    { isBegun, results, decisions }: RequestedCalls,
    signal: AbortSignal,
  ): Promise<PreparedCall> => {
    const tool = byName.get(call.name);
    if (id === undefined) return { result: failed(call, cannotCall(call, tool)) };
    const result = results.get(id);
    if (result) return { result: { call, ...result } };
    const decided = decisions.get(id);
    if (!tool) {
      // Its server may have withdrawn it since the call began.
      const isLost = isBegun && decided?.decision !== 'reject';
      const failure = isLost ? new ToolFailure(effectUnknown) : cannotCall(call, tool);
      return { result: failed(call, failure) };
    }
    const hasEffect = tool.hasEffect ?? true;
    const shown = { id, name: call.name, arguments: call.arguments, hasEffect };
    const args = await checkedArguments(tool, call, listener, signal);
    const prepared = { call, tool, shown, args };
    if (args instanceof ToolFailure) return prepared;
    // First: other calls of the reply may have begun.
    if (decided?.decision === 'reject') {
      return { ...prepared, args: new ToolFailure(rejected, decided.note) };
    }
    if (isBegun) {
      const mayRepeat = !hasEffect || tool.mayRepeat === true;
      return mayRepeat ? prepared : { ...prepared, args: new ToolFailure(effectUnknown) };
    }
    if (tool.approver === undefined || decided) return prepared;
    const sent = tool.sent?.(args) ?? args;
    return {
      ...prepared,
      waiting: { id, tool: tool.name, arguments: sent, approver: tool.approver },
    };
  };

  const cannotCall = (call: ToolCall, tool: Tool | undefined) => {
    if (tool) return new ToolFailure(tooManyCalls);
    listener.onUnknown(call.name);
    scope.toolCall(call).end({ outcome: 'unknown', text: '' });
    return new ToolFailure(`There is no tool '${call.name}'. ${toolsThereAre}`);
  };

  const callOne = async (prepared: PreparedCall, signal: AbortSignal): Promise<ToolResult> => {
    if ('result' in prepared) return prepared.result;
    const { call, shown, args } = prepared;
    const startedAt = performance.now();
    const ended = () => ({ ...shown, durationMs: Math.round(performance.now() - startedAt) });
    listener.onStart(shown);
    const toolScope = scope.toolCall(call);
    const wasMade = !(args instanceof ToolFailure);
    const identity = {
      id: shown.id,
      key: `${listener.conversationId}.${shown.id}`,
      traceHeaders: toolScope.headers,
      trace: toolScope.trace,
    };
    const { failure, ...result } = await run(prepared, signal, identity).catch((error: unknown) => {
      toolScope.end({ outcome: 'interrupted', text: '' });
      listener.onInterrupted(ended());
      throw error;
    });
    toolScope.end({ outcome: result.succeeded ? 'succeeded' : 'failed', text: result.text });
    listener.onEnd({
      ...ended(),
      wasMade,
      resultBytes: Buffer.byteLength(result.text),
      result,
      ...(failure ? { failure } : {}),
    });
    return result;
  };

  return {
    definitions: tools,
    maxSteps,
    number: (calls) => calls.map(number),
    call: async (requested, signal): Promise<CallOutcome> => {
      const prepared = await Promise.all(
        requested.calls.map((call) => prepare(call, requested, signal)),
      );
      const waiting = prepared.flatMap((one) => ('waiting' in one ? one.waiting : []));
      if (waiting.length > 0) return { waiting };
      const made = prepared.flatMap((one) =>
        'shown' in one && !(one.args instanceof ToolFailure) ? [one.shown] : [],
      );
      if (made.length > 0) await listener.beforeCalls(made);
      signal.throwIfAborted();
      const results = prepared.map((one) => callOne(one, signal));
      // Even if one of them ends the conversation, so that the others are in its log.
      await Promise.allSettled(results);
      return { results: await Promise.all(results) };
    },
  };
}

/** A call that can be made or that has failed already, one that waits for approval, or a result that is not shown. */
type PreparedCall = CheckedCall | (CheckedCall & { waiting: WaitingCall }) | { result: ToolResult };

interface CheckedCall {
  call: ToolCall;
  tool: Tool;
  shown: CalledTool;
  args: Record<string, unknown> | ToolFailure;
}

const effectUnknown =
  'Interrupted: the service was stopped while it made the call. Its effect is unknown: it may have happened or not.';
const rejected = 'Not called: a person rejected it';
const tooManyCalls = `Not called: only ${maxToolCalls} calls are allowed at once.`;

interface RunResult extends ToolResult {
  failure?: ToolFailure;
}

async function run(
  { call, tool, args }: CheckedCall,
  signal: AbortSignal,
  identity: CallIdentity,
): Promise<RunResult> {
  if (args instanceof ToolFailure) return failed(call, args);
  const limited = AbortSignal.any([signal, AbortSignal.timeout(tool.timeoutMs)]);
  try {
    return { call, succeeded: true, text: await tool.call(args, limited, identity) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolNotSent) return failed(call, error);
    if (limited.aborted) {
      return failed(
        call,
        new ToolFailure(
          `There was no result within ${tool.timeoutMs} ms. The call may have taken effect.`,
        ),
      );
    }
    if (error instanceof ToolFailure) return failed(call, error);
    throw error;
  }
}

function failed(call: ToolCall, failure: ToolFailure): RunResult {
  return { call, succeeded: false, text: failure.text, failure };
}

/** Returns a ToolFailure if the call must not be made. */
async function checkedArguments(
  { parameters }: Tool,
  { arguments: args, malformed }: ToolCall,
  { queueKey }: Pick<ToolListener, 'queueKey'>,
  signal: AbortSignal,
): Promise<Record<string, unknown> | ToolFailure> {
  if (malformed !== undefined || !isObject(args)) {
    // The model is shown what it wrote, because not every provider takes that back.
    return new ToolFailure('Not called: the arguments must be a JSON object, but are', malformed);
  }
  try {
    const problem = await checkJson(
      { schema: parameters, json: JSON.stringify(args) },
      queueKey,
      signal,
    );
    return problem === undefined
      ? args
      : new ToolFailure('The arguments do not fit its schema', problem);
  } catch (error) {
    if (!(error instanceof SchemaFailure)) throw error;
    return new ToolFailure(`Not called: the schema of its arguments ${error.message}.`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

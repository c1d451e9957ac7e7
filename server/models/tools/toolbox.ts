/** Calls the tools that a model requests: with checked arguments, with a timeout, and without retries. */
import { type ConversationObserver, noopObserver } from '../observer.js';
import type { Toolbox } from '../converse.js';
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
  /** False: its arguments are invalid, so nothing was sent. */
  wasMade: boolean;
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
  /** Awaited before the calls of a step that can be made. An error ends the conversation, and none of them is made. */
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
  maxSteps: number,
  listener: ToolListener,
): Toolbox {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const { scope = noopObserver } = listener;
  const toolsThereAre = `There are: ${tools.map(({ name }) => name).join(', ')}.`;
  let called = 0;

  const prepare = async (call: ToolCall, signal: AbortSignal): Promise<PreparedCall> => {
    const tool = byName.get(call.name);
    if (!tool) {
      listener.onUnknown(call.name);
      scope.toolCall(call).end({ outcome: 'unknown', text: '' });
      const failure = new ToolFailure(`There is no tool '${call.name}'. ${toolsThereAre}`);
      return { result: failed(call, failure) };
    }
    called += 1;
    const shown = {
      id: `call_${called}`,
      name: call.name,
      arguments: call.arguments,
      hasEffect: tool.hasEffect ?? true,
    };
    return { call, tool, shown, args: await checkedArguments(tool, call, listener, signal) };
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
      key: `${listener.conversationId}.${shown.id}`,
      traceHeaders: toolScope.headers,
    };
    const result = await run(prepared, signal, identity).catch((error: unknown) => {
      toolScope.end({ outcome: 'interrupted', text: '' });
      listener.onInterrupted(ended());
      throw error;
    });
    toolScope.end({ outcome: result.succeeded ? 'succeeded' : 'failed', text: result.text });
    listener.onEnd({
      ...ended(),
      wasMade,
      resultBytes: Buffer.byteLength(result.text),
      ...(result.failure ? { failure: result.failure } : {}),
    });
    return result;
  };

  return {
    definitions: tools,
    maxSteps,
    call: async (calls, signal) => {
      const prepared = await Promise.all(
        calls.map(async (call, index) =>
          index < maxToolCalls
            ? prepare(call, signal)
            : { result: failed(call, new ToolFailure(tooManyCalls)) },
        ),
      );
      const made = prepared.flatMap((one) =>
        'shown' in one && !(one.args instanceof ToolFailure) ? [one.shown] : [],
      );
      if (made.length > 0) await listener.beforeCalls(made);
      signal.throwIfAborted();
      const results = prepared.map((one) => callOne(one, signal));
      // Even if one of them ends the conversation, so that the others are in its log.
      await Promise.allSettled(results);
      return Promise.all(results);
    },
  };
}

/** A call that can be made or that has failed already, or the result for a call that is not shown. */
type PreparedCall = CheckedCall | { result: ToolResult };

interface CheckedCall {
  call: ToolCall;
  tool: Tool;
  shown: CalledTool;
  args: Record<string, unknown> | ToolFailure;
}

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

/** Calls the tools that a model requests: with checked arguments, with a timeout, and without retries. */
import {
  type InvocationScope,
  noopInvocation,
  type TraceHeaders,
} from '../../observability/telemetry.js';
import type { Toolbox } from '../converse.js';
import { maxToolCalls } from '../limits.js';
import type { ToolCall, ToolResult } from '../model.js';
import { checkJson, SchemaFailure } from '../schemas.js';
import { type Tool, ToolFailure } from './tool.js';

interface CalledTool {
  /** `call_1`, `call_2` and so on within a conversation. */
  id: string;
  name: string;
  arguments: unknown;
}

export interface EndedTool extends CalledTool {
  durationMs: number;
  /** The size of the text that the model receives. */
  resultBytes: number;
  /** Undefined if it succeeded. */
  failure?: ToolFailure;
}

interface ToolListener {
  /** The account whose share of the check threads is used. */
  accountId: string;
  /** Awaited before the first tool call. An error ends the conversation. */
  beforeFirst: () => Promise<void>;
  onStart: (call: CalledTool) => void;
  onEnd: (call: EndedTool) => void;
  scope?: Pick<InvocationScope, 'toolCall'>;
  /** Called when the model requests a tool that does not exist. */
  onUnknown: (name: string) => void;
}

export function createToolbox(
  tools: readonly Tool[],
  maxSteps: number,
  listener: ToolListener,
): Toolbox {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const { scope = noopInvocation } = listener;
  const toolsThereAre = `There are: ${tools.map(({ name }) => name).join(', ')}.`;
  let called = 0;
  let first: Promise<void> | undefined;

  const callOne = async (call: ToolCall, signal: AbortSignal): Promise<ToolResult> => {
    const tool = byName.get(call.name);
    if (!tool) {
      listener.onUnknown(call.name);
      scope.toolCall(call).end({ outcome: 'unknown', text: '' });
      return failed(call, new ToolFailure(`There is no tool '${call.name}'. ${toolsThereAre}`));
    }
    await (first ??= listener.beforeFirst());
    called += 1;
    const shown = { id: `call_${called}`, name: call.name, arguments: call.arguments };
    const startedAt = performance.now();
    listener.onStart(shown);
    const toolScope = scope.toolCall(call);
    const result = await run(tool, call, {
      accountId: listener.accountId,
      signal,
      traceHeaders: toolScope.headers,
    }).catch((error: unknown) => {
      toolScope.end({ outcome: 'interrupted', text: '' });
      throw error;
    });
    toolScope.end({ outcome: result.succeeded ? 'succeeded' : 'failed', text: result.text });
    listener.onEnd({
      ...shown,
      durationMs: Math.round(performance.now() - startedAt),
      resultBytes: Buffer.byteLength(result.text),
      ...(result.failure ? { failure: result.failure } : {}),
    });
    return result;
  };

  return {
    definitions: tools,
    maxSteps,
    call: (calls, signal) =>
      Promise.all(
        calls.map(async (call, index) =>
          index < maxToolCalls
            ? callOne(call, signal)
            : failed(call, new ToolFailure(tooManyCalls)),
        ),
      ),
  };
}

const tooManyCalls = `Not called: only ${maxToolCalls} calls are allowed at once.`;

interface RunOptions {
  accountId: string;
  signal: AbortSignal;
  traceHeaders: TraceHeaders;
}

interface RunResult extends ToolResult {
  failure?: ToolFailure;
}

async function run(
  tool: Tool,
  call: ToolCall,
  { accountId, signal, traceHeaders }: RunOptions,
): Promise<RunResult> {
  let limited = signal;
  try {
    const args = await checkedArguments(tool, call, accountId, signal);
    // Starts after the check, which has its own time limit.
    limited = AbortSignal.any([signal, AbortSignal.timeout(tool.timeoutMs)]);
    return { call, succeeded: true, text: await tool.call(args, limited, traceHeaders) };
  } catch (error) {
    signal.throwIfAborted();
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

async function checkedArguments(
  { parameters }: Tool,
  { arguments: args, malformed }: ToolCall,
  accountId: string,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  if (malformed !== undefined || typeof args !== 'object' || args === null) {
    // The model may not see what it wrote: not every provider takes back what its model wrote.
    throw new ToolFailure('Not called: the arguments must be a JSON object, but are', malformed);
  }
  const problem = await checkJson(accountId, parameters, JSON.stringify(args), signal).catch(
    (error: unknown) => {
      if (!(error instanceof SchemaFailure)) throw error;
      throw new ToolFailure(`Not called: the schema of its arguments ${error.message}.`);
    },
  );
  if (problem !== undefined) {
    throw new ToolFailure('The arguments do not fit its schema', problem);
  }
  return args as Record<string, unknown>;
}

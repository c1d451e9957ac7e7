/** Creates invocation requests, and prints replies as they arrive. */
import type {
  Invocation,
  InvocationRequest,
  InvocationResult,
  InvocationStream,
  InvocationToolCall,
} from '../src/index.js';
import { describeEarlyEnd } from '../src/finish-reason.js';
import { requireCompletion } from './approvals.js';
import type { Context } from './context.js';
import type { Output } from './output.js';
import { startSpinner } from './spinner.js';
import { plural } from './text.js';

export const environmentHelp =
  'where the agent runs: draft, or one with a deployment (default: production)';

export interface MessageOptions {
  session?: string | undefined;
  user?: string | undefined;
  context?: Record<string, unknown>;
  environment?: string | undefined;
}

export function createRequest(
  message: string,
  { session, user, context, environment }: MessageOptions,
): InvocationRequest {
  const merged = {
    ...context,
    ...(user === undefined ? {} : { user_id: user }),
    ...(session === undefined ? {} : { session_id: session }),
  };
  return {
    message,
    ...(Object.keys(merged).length === 0 ? {} : { context: merged }),
    ...(environment === undefined ? {} : { environment }),
  };
}

/**
 * Prints the pieces of a reply as they arrive, with backpressure, and ends its line if `endsLine` says so. Tool calls are
 * shown on standard error if that is a terminal.
 */
export async function printStream(
  { terminal, output }: Context,
  agent: string,
  stream: InvocationStream,
  endsLine: () => boolean = () => true,
): Promise<InvocationResult> {
  let stop = startSpinner(terminal, `${agent} is thinking`);
  let lastCharacter = '\n';
  const showTool = (call: InvocationToolCall) => {
    if (terminal.noteColumns === undefined) return;
    stop();
    if (lastCharacter !== '\n' && terminal.columns !== undefined) {
      // The tool call gets its own line, and the reply continues below it.
      terminal.note('');
      lastCharacter = '\n';
    }
    if (call.status === 'started') stop = startSpinner(terminal, call.name);
    else terminal.note([{ style: 'dim', text: describeTool(call) }]);
  };
  try {
    for await (const { event, data } of stream.events()) {
      if (event === 'tool') showTool(data);
      if (event !== 'delta') continue;
      stop();
      output.replyPiece(data.text);
      lastCharacter = data.text.at(-1) ?? lastCharacter;
      // If the reader has closed the pipe, the handler in main.ts ends the command.
      await terminal.flush().catch(() => undefined);
    }
  } finally {
    stop();
    // The next output begins on a new line, even if the reply is incomplete.
    if (lastCharacter !== '\n' && endsLine()) output.replyPiece('\n');
  }
  const result = await stream.result();
  noteEarlyEnd(output, result);
  return result;
}

/** Prints a whole reply, or with `--json` the result. */
export function printResult(context: Context, agent: string, result: InvocationResult): void {
  const { output } = context;
  output.reply(result.response, result);
  noteEarlyEnd(output, result);
  requireCompletion(context, agent, result);
}

export interface ReplyOptions {
  /** By default a reply is streamed, unless it is printed as JSON. */
  stream?: boolean;
}

/** An invocation, which can be requested in either form. */
interface ReplySource {
  agent: string;
  stream: (signal: AbortSignal) => InvocationStream;
  request: (signal: AbortSignal) => Promise<InvocationResult>;
}

/** Prints the reply of a command in the form that its options ask for. Ctrl-C cancels the invocation. */
export async function printReply(
  context: Context,
  { stream: isStreamed }: ReplyOptions,
  { agent, stream: open, request }: ReplySource,
): Promise<void> {
  const { output, terminal } = context;
  const signal = context.interruptSignal();
  if (output.isJson ? !isStreamed : isStreamed === false) {
    const work = request(signal);
    printResult(context, agent, await context.withSpinner(`${agent} is thinking`, work));
    return;
  }
  const stream = open(signal);
  if (output.isJson) {
    for await (const event of stream.events()) output.line('', event);
  } else {
    // The signal handler ends the line after Ctrl-C.
    const result = await printStream(context, agent, stream, () => !signal.aborted);
    if (terminal.noteColumns !== undefined) {
      const text = `${describeTokens(result)}, ${result.duration_ms} ms, ${result.request_id}`;
      output.note([{ style: 'dim', text }]);
    }
  }
  requireCompletion(context, agent, await stream.result());
}

function describeTokens({ tokens_used, usage }: Invocation): string {
  const { input_tokens, output_tokens } = usage ?? {};
  const isSplit = input_tokens !== undefined && output_tokens !== undefined;
  const parts = isSplit ? ` (${input_tokens} in, ${output_tokens} out)` : '';
  return `${plural(tokens_used, 'token')}${parts}`;
}

/** On standard error even if that is no terminal: a file may hold the reply, and nothing in it shows that it is cut. */
function noteEarlyEnd(output: Output, { finish_reason }: Invocation): void {
  const text = describeEarlyEnd(finish_reason);
  if (text !== undefined) output.note([{ style: 'yellow', text }]);
}

function describeTool({ name, status, duration_ms }: InvocationToolCall): string {
  const outcome = status === 'succeeded' ? [] : [status];
  const duration = duration_ms === undefined ? [] : [`${duration_ms} ms`];
  return `  · ${name} … ${[...outcome, ...duration].join(', ')}`;
}

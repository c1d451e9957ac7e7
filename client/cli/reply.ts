/** Messages to agents, and their replies as they come. */
import type {
  Invocation,
  InvocationRequest,
  InvocationStream,
  InvocationToolCall,
} from '../src/index.js';
import type { Context } from './context.js';
import { startSpinner } from './spinner.js';

export interface MessageOptions {
  session?: string | undefined;
  user?: string | undefined;
  context?: Record<string, unknown>;
}

export function createRequest(
  message: string,
  { session, user, context }: MessageOptions,
): InvocationRequest {
  const merged = {
    ...context,
    ...(user === undefined ? {} : { user_id: user }),
    ...(session === undefined ? {} : { session_id: session }),
  };
  return Object.keys(merged).length === 0 ? { message } : { message, context: merged };
}

/**
 * Prints the pieces of a reply as they come, no faster than they are read, and ends its line if nothing else will. What the
 * agent does in between is shown on standard error, if that is a terminal.
 */
export async function printStream(
  { terminal }: Context,
  agent: string,
  stream: InvocationStream,
  endsLine: () => boolean = () => true,
): Promise<Invocation> {
  let stop = startSpinner(terminal, `${agent} is thinking`);
  let lastCharacter = '\n';
  const showTool = (call: InvocationToolCall) => {
    if (terminal.noteColumns === undefined) return;
    stop();
    if (lastCharacter !== '\n' && terminal.columns !== undefined) {
      // The reply goes on below it.
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
      terminal.printReply(data.text);
      lastCharacter = data.text.at(-1) ?? lastCharacter;
      // A reader that is gone ends the whole command elsewhere.
      await terminal.flush().catch(() => undefined);
    }
  } finally {
    stop();
    // Further output begins on a new line, also if the reply is incomplete.
    if (lastCharacter !== '\n' && endsLine()) terminal.printReply('\n');
  }
  return stream.result();
}

function describeTool({ name, status, duration_ms }: InvocationToolCall): string {
  const outcome = status === 'succeeded' ? [] : [status];
  const duration = duration_ms === undefined ? [] : [`${duration_ms} ms`];
  return `  · ${name} … ${[...outcome, ...duration].join(', ')}`;
}

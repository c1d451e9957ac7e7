/** Messages to agents, and their replies as they come. */
import type { Invocation, InvocationRequest, InvocationStream } from '../src/index.js';
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

/** Prints the pieces of a reply as they come, no faster than they are read, and ends its line if nothing else will. */
export async function printStream(
  { terminal }: Context,
  agent: string,
  stream: InvocationStream,
  endsLine: () => boolean = () => true,
): Promise<Invocation> {
  const stop = startSpinner(terminal, `${agent} is thinking`);
  let lastCharacter = '\n';
  try {
    for await (const { text } of stream) {
      stop();
      terminal.printReply(text);
      lastCharacter = text.at(-1) ?? lastCharacter;
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

/** `agent-hosting agents invoke`: sends a message, and shows the reply while it is being made. */
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import type { AgentHosting, InvocationRequest } from '../src/index.js';
import type { Context, Runner } from './context.js';
import { CommandFailure, exitCodes } from './exit-codes.js';
import { spin } from './spinner.js';
import { plural, printable } from './text.js';

interface InvokeOptions {
  session?: string;
  user?: string;
  context?: Record<string, unknown>;
  stream: boolean;
  async?: boolean;
  idempotencyKey?: string;
}

export function addInvokeCommand(agents: Command, run: Runner): void {
  agents
    .command('invoke')
    .description('send a message to an agent, and show its reply as it comes')
    .argument('<agent>', 'its name or id')
    .argument('[message...]', 'what to say; read from standard input if it is left out')
    .option('--session <id>', 'the conversation that it belongs to')
    .option('--user <id>', 'the person who speaks')
    .option('--context <json>', 'further context, as a JSON object', jsonObject)
    .option('--no-stream', 'wait for the whole reply')
    .option('--async', 'do not wait at all; the result goes to the webhooks')
    .option('--idempotency-key <key>', 'so that a repeat of this command runs the agent once')
    .addHelpText('after', invokeHelp)
    .action(
      run(async (context, options: InvokeOptions, agent = '', ...words) => {
        const body = requestFrom(await messageFrom(context, words), options);
        const client = await context.client();
        if (options.async) await invokeAsync(context, client, agent, body, options);
        else if (context.output.isJson || !options.stream) {
          await invokeWhole(context, client, agent, body, options);
        } else await invokeStreamed(context, client, agent, body, options);
      }),
    );
}

async function messageFrom({ terminal }: Context, words: string[]): Promise<string> {
  const isGiven = words.length > 0 && words.join(' ') !== '-';
  if (isGiven) return words.join(' ');
  if (terminal.canAsk && words.length === 0) {
    throw new CommandFailure(
      'Say what to send: agent-hosting agents invoke AGENT "…"',
      exitCodes.usage,
    );
  }
  return (await text(process.stdin)).trimEnd();
}

function requestFrom(
  message: string,
  { session, user, context }: InvokeOptions,
): InvocationRequest {
  const merged = {
    ...context,
    ...(user === undefined ? {} : { user_id: user }),
    ...(session === undefined ? {} : { session_id: session }),
  };
  return Object.keys(merged).length === 0 ? { message } : { message, context: merged };
}

type Invocation = [
  context: Context,
  client: AgentHosting,
  agent: string,
  body: InvocationRequest,
  options: InvokeOptions,
];

async function invokeStreamed(...[context, client, agent, body, options]: Invocation) {
  const { terminal, output } = context;
  const { idempotencyKey } = options;
  const signal = context.interruptible();
  const stream = client.agents.invoke(agent, body, { stream: true, signal, idempotencyKey });
  const stop = spin(terminal, `${agent} is thinking`);
  const safe = terminal.columns === undefined ? (piece: string) => piece : printable;
  try {
    for await (const piece of stream) {
      stop();
      terminal.write(safe(piece.text));
    }
    terminal.write('\n');
  } finally {
    stop();
  }
  const { tokens_used, duration_ms, request_id } = await stream.result();
  if (terminal.isWatched) {
    const facts = `${plural(tokens_used, 'token')}, ${duration_ms} ms, ${request_id}`;
    output.note(terminal.paintNote('dim', facts));
  }
}

async function invokeWhole(...[context, client, agent, body, options]: Invocation) {
  const { idempotencyKey } = options;
  const signal = context.interruptible();
  const work = client.agents.invoke(agent, body, { signal, idempotencyKey });
  const result = await context.wait(`${agent} is thinking`, work);
  context.output.done(printable(result.response), result);
}

async function invokeAsync(...[context, client, agent, body, options]: Invocation) {
  const { idempotencyKey } = options;
  const work = client.agents.invokeAsync(agent, body, { idempotencyKey });
  const result = await context.wait('Handing it over', work);
  context.output.done(
    'response' in result ? printable(result.response) : `Taken on as ${result.request_id}.`,
    result,
  );
}

function jsonObject(given: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(given);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return Object.fromEntries(Object.entries(value));
    }
  } catch {
    // The message below says it all.
  }
  throw new InvalidArgumentError('It must be a JSON object, such as {"order":5512}.');
}

const invokeHelp = `
Examples:
  agent-hosting agents invoke support-bot "Where is my order 5512?"
  agent-hosting agents invoke support-bot --session chat-77 "And when will it arrive?"
  cat report.txt | agent-hosting agents invoke summarizer > summary.txt`;

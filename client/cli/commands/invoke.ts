/** `agent-hosting agents invoke`: sends a message, and shows the reply while it is being made. */
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AgentHosting, InvocationRequest } from '../../src/index.js';
import type { Context, Runner } from '../context.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { spin } from '../spinner.js';
import { oneLine, plural } from '../text.js';

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
    .argument('[message...]', 'what to say; read from standard input if it is left out, or is -')
    .option('--session <id>', 'the conversation that it belongs to')
    .option('--user <id>', 'the person who speaks')
    .option('--context <json>', 'further context, as a JSON object', jsonObject)
    .option('--no-stream', 'wait for the whole reply')
    .addOption(
      new Option('--async', 'do not wait at all; the result goes to the webhooks').conflicts(
        'stream',
      ),
    )
    .option('--idempotency-key <key>', 'so that a repeat of this command runs the agent once')
    .addHelpText('after', invokeHelp)
    .action(
      run(async (context, options: InvokeOptions, agent = '', ...words) => {
        const client = await context.client();
        const body = requestFrom(await messageFrom(context, words), options);
        if (options.async) await invokeAsync(context, client, agent, body, options);
        else if (context.output.isJson || !options.stream) {
          await invokeWhole(context, client, agent, body, options);
        } else await invokeStreamed(context, client, agent, body, options);
      }),
    );
}

const invokeHelp = `
Nothing but the reply goes to standard output. With --json it is one document,
the whole result, when it is there.

Examples:
  agent-hosting agents invoke support-bot "Where is my order 5512?"
  agent-hosting agents invoke support-bot --session chat-77 "And when will it arrive?"
  cat report.txt | agent-hosting agents invoke summarizer > summary.txt`;

async function messageFrom({ terminal }: Context, words: string[]): Promise<string> {
  const given = words.join(' ');
  if (words.length > 0 && given !== '-') return given;
  if (terminal.canAsk && words.length === 0) {
    throw new CommandFailure('There is no message.', exitCodes.usage, [
      'Say what to send: agent-hosting agents invoke AGENT "…"',
    ]);
  }
  const piped = (await text(process.stdin)).trimEnd();
  if (piped !== '') return piped;
  throw new CommandFailure('The message from standard input is empty.', exitCodes.usage);
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
  const stop = spin(terminal, `${oneLine(agent)} is thinking`);
  let last = '\n';
  try {
    for await (const piece of stream) {
      stop();
      terminal.write(terminal.quote(piece.text));
      last = piece.text.at(-1) ?? last;
    }
  } finally {
    stop();
    // What comes next begins on a line of its own, also where the reply broke off.
    if (last !== '\n' && !signal.aborted) terminal.write('\n');
  }
  const { tokens_used, duration_ms, request_id } = await stream.result();
  if (terminal.noteColumns !== undefined) {
    const facts = `${plural(tokens_used, 'token')}, ${duration_ms} ms, ${oneLine(request_id)}`;
    output.note(terminal.paintNote('dim', facts));
  }
}

async function invokeWhole(...[context, client, agent, body, options]: Invocation) {
  const { idempotencyKey } = options;
  const signal = context.interruptible();
  const work = client.agents.invoke(agent, body, { signal, idempotencyKey });
  const result = await context.wait(`${oneLine(agent)} is thinking`, work);
  context.output.done(context.terminal.quote(result.response), result);
}

async function invokeAsync(...[context, client, agent, body, options]: Invocation) {
  const { terminal, output, wait } = context;
  const { idempotencyKey } = options;
  const work = client.agents.invokeAsync(agent, body, { idempotencyKey });
  const result = await wait('Handing it over', work);
  // A repeat, by its key, of an invocation that has ended has its result.
  const sentence =
    'response' in result
      ? terminal.quote(result.response)
      : `Taken on as ${oneLine(result.request_id)}.`;
  output.done(sentence, result);
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

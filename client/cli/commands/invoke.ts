/** `agent-hosting agents invoke`: sends a message, and streams the reply. */
import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import {
  type AgentHosting,
  ConnectionError,
  type InvocationRequest,
  type InvokeAgentOptions,
} from '../../src/index.js';
import type { Context, Runner } from '../context.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { parseJsonObject } from '../option-parsers.js';
import {
  createRequest,
  environmentHelp,
  type MessageOptions,
  printReply,
  printResult,
  type ReplyOptions,
} from '../reply.js';
import { toolAuthorization } from '../tool-authorization.js';

interface InvokeOptions extends MessageOptions, ReplyOptions {
  async?: boolean;
  wait?: boolean;
  idempotencyKey?: string;
}

export function addInvokeCommand(agents: Command, run: Runner): void {
  agents
    .command('invoke')
    .description('send a message to an agent, and stream its reply')
    .argument('<agent>', 'its name or id')
    .argument('[message...]', 'the message; read from standard input if it is left out, or is -')
    .option('--session <id>', 'the session that the message belongs to')
    .option('--user <id>', 'the user who sends the message')
    .option('--context <json>', 'additional context, as a JSON object', parseJsonObject)
    .option('--environment <name>', environmentHelp)
    .option('--stream', 'with --json: print each event as it arrives, one per line')
    .option('--no-stream', 'wait for the whole reply')
    .addOption(
      new Option('--async', 'do not wait; the result is sent to the webhooks').conflicts('stream'),
    )
    .addOption(
      new Option('--wait', 'with --async: wait for the result, for hours if necessary').implies({
        async: true,
      }),
    )
    .option(
      '--idempotency-key <key>',
      'repeat the command with the same key: its tools do not act twice',
    )
    .addHelpText('after', invokeHelp)
    .action(
      run(async (context, options: InvokeOptions, agent = '', ...words) => {
        const client = await context.client();
        const body = createRequest(await readMessage(context, words), options);
        const shared = {
          idempotencyKey: options.idempotencyKey,
          toolAuthorization: toolAuthorization(),
        };
        const call: AsyncCall = { context, client, agent, body, shared };
        if (options.wait) await invokeAndWait(call);
        else if (options.async) await invokeAsync(call);
        else {
          const { agents: api } = client;
          await printReply(context, options, {
            agent,
            stream: (signal) => api.invoke(agent, body, { ...shared, stream: true, signal }),
            request: (signal) => api.invoke(agent, body, { ...shared, signal }),
          });
        }
      }),
    );
}

const invokeHelp = `
Only the reply goes to standard output. With --json it is one document, the
complete result; with --json --stream, the events as they arrive, including
tool calls. Ctrl-C cancels the invocation, except with --async.

If tool calls wait for approval, standard error shows them and the exit code
is 7; with --json they are in "approvals". Decide them with agents approve.

Examples:
  agent-hosting agents invoke support-bot "Where is my order 5512?"
  agent-hosting agents invoke support-bot --session chat-77 "And when will it arrive?"
  agent-hosting agents invoke support-bot --environment draft "Where is my order 5512?"
  agent-hosting agents invoke researcher --async --wait "Compare the offers" > offers.txt
  cat report.txt | agent-hosting agents invoke summarizer > summary.txt`;

async function readMessage({ terminal }: Context, words: string[]): Promise<string> {
  const message = words.join(' ');
  if (words.length > 0 && message !== '-') {
    if (message.trim() !== '') return message;
    throw new CommandError('The message is empty.', exitCodes.usage);
  }
  if (terminal.isInteractive && words.length === 0) {
    throw new CommandError('There is no message.', exitCodes.usage, [
      'Add it to the command: agent-hosting agents invoke AGENT "…"',
    ]);
  }
  const piped = (await text(process.stdin)).trimEnd();
  if (piped !== '') return piped;
  throw new CommandError('The message from standard input is empty.', exitCodes.usage);
}

interface AsyncCall {
  context: Context;
  client: AgentHosting;
  agent: string;
  body: InvocationRequest;
  shared: InvokeAgentOptions;
}

async function invokeAsync({ context, client, agent, body, shared }: AsyncCall) {
  const { output, withSpinner } = context;
  const work = client.agents.invokeAsync(agent, body, shared);
  const result = await withSpinner('Submitting', work);
  // If an invocation with this idempotency key has already ended, this is its result.
  if ('response' in result) printResult(context, agent, result);
  else output.result(`Accepted as ${result.request_id}.`, result);
}

/** If the command is interrupted, the invocation continues, and its idempotency key retrieves the result. */
async function invokeAndWait({ context, client, agent, body, shared }: AsyncCall) {
  const { output, withSpinner } = context;
  const signal = context.interruptSignal();
  const invocation = client.agents.invokeAsync(agent, body, { ...shared, signal });
  const { idempotencyKey } = invocation;
  try {
    const work = invocation.result({ timeout: 0 });
    printResult(context, agent, await withSpinner(`${agent} is working`, work));
  } catch (error) {
    if (signal.aborted || error instanceof ConnectionError) {
      output.note(
        `The invocation continues. To get its result, repeat the command with --idempotency-key ${idempotencyKey}`,
      );
    }
    throw error;
  }
}

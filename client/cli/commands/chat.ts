/** `agent-hosting chat`: a conversation with an agent, typed or piped in. */
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { ForbiddenError, type InvocationResult, type InvocationStream } from '../../src/index.js';
import { askForDecisions, noteHowToDecide, requireCompletion } from '../approvals.js';
import { shellCommand } from '../shell-quote.js';
import type { Context, Runner } from '../context.js';
import { exitCodeOf, exitCodes, ReportedError } from '../exit-codes.js';
import type { LineEditor } from '../line-editor.js';
import { createRequest, environmentHelp, printStream } from '../reply.js';
import { toolAuthorization } from '../tool-authorization.js';

interface ChatOptions {
  session?: string;
  user?: string;
  environment?: string;
}

interface Conversation {
  agent: string;
  session: string;
  user: string | undefined;
  environment: string | undefined;
}

export function defineChat(command: Command, run: Runner): void {
  command
    .argument('<agent>', 'its name or id')
    .option('--session <id>', 'the session to continue (default: a new one)')
    .option('--user <id>', 'the user who sends the messages')
    .option('--environment <name>', environmentHelp)
    .addHelpText('after', chatHelp)
    .action(
      run(async (context, options: ChatOptions, agent = '') => {
        const { session = newSession(), user, environment } = options;
        const conversation: Conversation = { agent, session, user, environment };
        const isTyped = context.terminal.isInteractive && !context.output.isJson;
        await (isTyped ? chat(context, conversation) : chatByLines(context, conversation));
      }),
    );
}

const chatHelp = `
Ctrl-C stops a reply, and Ctrl-D or /exit ends the conversation; /help lists the
commands. The arrow keys recall earlier messages, which are kept in memory only.
Pasted text is one message, even if it has several lines.

If the agent calls a tool that needs approval, you are asked: y approves the
call, and n rejects it, with a reason if you write one.

Without a terminal, each line of standard input is a message, and only the
replies go to standard output; with --json, each result is one line. If a call
needs approval, it is shown, and the command ends with exit code 7.

Examples:
  agent-hosting chat support-bot
  agent-hosting chat support-bot --user user-2041 --session chat-77
  agent-hosting chat support-bot --environment draft
  agent-hosting chat support-bot < questions.txt > replies.txt`;

const commands: [name: string, description: string][] = [
  ['/new', 'start a new session: the agent forgets what was said'],
  ['/session', 'show the id of the session'],
  ['/exit', 'end the conversation, as Ctrl-D does'],
  ['/help', 'show this list; begin a message with // to send a leading slash'],
];

function newSession(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `chat-${Buffer.from(bytes).toString('hex')}`;
}

async function chat(context: Context, conversation: Conversation): Promise<void> {
  const { terminal, output } = context;
  await introduce(context, conversation);
  const editor = terminal.openLineEditor([{ style: 'cyan', text: 'you>' }, ' ']);
  let wasInterrupted = false;
  try {
    for (;;) {
      const line = await editor.readLine();
      if (line === undefined || line?.trim() === '/exit') break;
      if (line === null && wasInterrupted) break;
      wasInterrupted = line === null;
      if (line === null) output.note('Ctrl-C again ends the conversation, as Ctrl-D and /exit do.');
      else await handleLine(context, conversation, editor, line);
    }
  } finally {
    editor.close();
  }
  const { agent, session, user, environment } = conversation;
  const options = [
    ['--session', session],
    ...(user === undefined ? [] : [['--user', user]]),
    ...(environment === undefined ? [] : [['--environment', environment]]),
  ];
  const command = shellCommand(['agent-hosting', 'chat', agent, ...options.flat()]);
  output.note([{ style: 'dim', text: `Continue with: ${command}` }]);
}

/** Prints the agent's name and model, so that a wrong name is noticed before the first message. */
async function introduce(context: Context, { agent, environment }: Conversation): Promise<void> {
  const { output, withSpinner, client } = context;
  const { agents } = await client();
  try {
    const { name, model } = await withSpinner('Looking for the agent', agents.get(agent));
    // The model is that of the draft.
    const about = environment === undefined || environment === 'draft' ? ` (${model})` : '';
    const where = environment === undefined ? '' : ` in ${environment}`;
    output.note([{ style: 'bold', text: name }, about, where]);
  } catch (error) {
    // A key may be allowed to invoke the agent but not to read it.
    if (!(error instanceof ForbiddenError)) throw error;
  }
  output.note([{ style: 'dim', text: 'Ctrl-C stops a reply, Ctrl-D ends the conversation.' }]);
  output.note('');
}

async function handleLine(
  context: Context,
  conversation: Conversation,
  editor: LineEditor,
  line: string,
): Promise<void> {
  const { output } = context;
  const text = line.trim();
  if (text === '') return;
  if (text.startsWith('/') && !text.startsWith('//')) runCommand(context, conversation, text);
  else {
    const message = text.replace(/^\/\//, '/');
    await converse(context, conversation, editor, message);
  }
  output.note('');
}

function runCommand({ output }: Context, conversation: Conversation, command: string): void {
  if (command === '/new') conversation.session = newSession();
  if (command === '/new' || command === '/session') {
    output.note([{ style: 'dim', text: `The session is ${conversation.session}.` }]);
    return;
  }
  if (command !== '/help') output.note(`Unknown command ${command}. The commands are:`);
  for (const [name, description] of commands) output.note(`  ${name.padEnd(9)} ${description}`);
}

/** Sends a message, and asks for decisions for as long as the agent waits for approval. */
async function converse(
  context: Context,
  { agent, ...conversation }: Conversation,
  editor: LineEditor,
  message: string,
): Promise<void> {
  const { agents } = await context.client();
  const print = (open: (signal: AbortSignal) => InvocationStream) =>
    editor.runInterruptibly((signal) => printOrReport(context, agent, { signal, open }));
  const body = createRequest(message, conversation);
  const shared = { toolAuthorization: toolAuthorization() };
  let result = await print((signal) =>
    agents.invoke(agent, body, { ...shared, stream: true, signal }),
  );
  while (result?.status === 'requires_approval') {
    const { request_id, approvals } = result;
    const decisions = await askForDecisions(context, editor, approvals);
    if (!decisions) {
      context.output.note('Nothing was decided.');
      noteHowToDecide(context, agent, result);
      return;
    }
    result = await print((signal) =>
      agents.resume(agent, request_id, decisions, { ...shared, stream: true, signal }),
    );
  }
}

interface Reply {
  signal: AbortSignal;
  open: (signal: AbortSignal) => InvocationStream;
}

/** Prints errors, so that the conversation can continue. */
async function printOrReport(
  context: Context,
  agent: string,
  { signal, open }: Reply,
): Promise<InvocationResult | undefined> {
  try {
    return await printStream(context, agent, open(signal));
  } catch (error) {
    if (signal.aborted) context.output.note([{ style: 'yellow', text: 'stopped' }]);
    else context.reportError(error);
    return undefined;
  }
}

/** Each line is a message. Stops at an error that the next message would cause too. */
async function chatByLines(context: Context, conversation: Conversation): Promise<void> {
  const { agent } = conversation;
  const { agents } = await context.client();
  const signal = context.interruptSignal();
  const options = { signal, toolAuthorization: toolAuthorization() };
  let lastError: unknown;
  // Nothing may be awaited between here and the loop: lines that arrive before it starts are lost.
  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity, signal });
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const body = createRequest(line, conversation);
    try {
      if (context.output.isJson) {
        const result = await agents.invoke(agent, body, options);
        context.output.line('', result);
        requireCompletion(context, agent, result);
      } else {
        const stream = agents.invoke(agent, body, { ...options, stream: true });
        const result = await printStream(context, agent, stream, () => !signal.aborted);
        requireCompletion(context, agent, result);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ReportedError) throw error;
      const isPermanent = [exitCodes.denied, exitCodes.notFound].some(
        (code) => code === exitCodeOf(error),
      );
      if (isPermanent) throw error;
      context.reportError(error);
      lastError = error;
    }
  }
  if (lastError !== undefined) throw new ReportedError('Reported.', { cause: lastError });
}

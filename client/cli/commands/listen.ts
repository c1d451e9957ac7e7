/** `agent-hosting webhooks listen`: a receiver on this machine that verifies and prints what arrives. */
import { once } from 'node:events';
import { type Command, Option } from 'commander';
import type { WebhookEvent } from '../../src/index.js';
import { someOf } from '../choices.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { everyEvent, requestFrom, type WebhookWish } from '../events.js';
import type { Context, Runner } from '../context.js';
import { port } from '../numbers.js';
import { type Receiver, startReceiver } from '../receiver.js';
import { oneLine } from '../text.js';

interface ListenOptions extends Partial<WebhookWish> {
  port: number;
  secret?: string;
}

export function addListenCommand(webhooks: Command, run: Runner): void {
  webhooks
    .command('listen')
    .description('receive events on this machine, verify and print them, until Ctrl-C')
    .option('--port <number>', 'where to listen, on 127.0.0.1; 0 takes a free one', port, 4242)
    .addOption(
      new Option('--secret <secret>', 'of a webhook that is registered already')
        .env('AGENT_HOSTING_WEBHOOK_SECRET')
        .conflicts(['url', 'events', 'agent']),
    )
    .option('--url <url>', 'where this machine is reached from outside, if not by its own address')
    .option('--events <list>', `which events, out of ${everyEvent.join(', ')}`, someOf(everyEvent))
    .option('--agent <agent>', 'the one agent whose events are wanted')
    .addHelpText('after', listenHelp)
    .action(run(listen));
}

const listenHelp = `
Without --secret a webhook is registered, and deleted again at the end. A
service delivers to 127.0.0.1 only where its operator set
ALLOW_PRIVATE_TARGETS=true; otherwise put a tunnel in front, and name its
address with --url. What is not signed with the secret is refused with a 401,
and not printed. With --json each event is one line.

Examples:
  agent-hosting webhooks listen --agent support-bot
  agent-hosting webhooks listen --url https://tunnel.acme.example --json`;

async function listen(context: Context, options: ListenOptions): Promise<void> {
  const { output, terminal } = context;
  const signal = context.interruptible();
  let { secret } = options;
  if (secret !== undefined && !secret.startsWith('whsec_')) {
    throw new CommandFailure('A secret begins with whsec_.', exitCodes.usage, [
      'agent-hosting webhooks create printed it, once.',
    ]);
  }
  const receiver = await startReceiver({
    port: options.port,
    secret: () => secret,
    received: (event) => {
      print(context, event);
    },
    refused: (reason) => {
      output.note(`${terminal.paintNote('red', 'Refused a delivery:')} ${oneLine(reason)}`);
    },
  });
  let deregister = () => Promise.resolve();
  try {
    if (secret === undefined) ({ secret, deregister } = await register(context, options, receiver));
    output.note(`Listening at ${receiver.url}. Ctrl-C ends it.`);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await receiver.close();
    await deregister();
  }
}

async function register(context: Context, options: ListenOptions, receiver: Receiver) {
  const { webhooks } = await context.client();
  const request = requestFrom({ ...options, url: options.url ?? receiver.url });
  const { id, secret } = await context.wait('Registering', webhooks.create(request));
  const deregister = async () => {
    try {
      await context.wait('Deleting the webhook', webhooks.delete(id));
    } catch (error) {
      context.output.note(`The webhook ${oneLine(id)} is still registered.`);
      throw error;
    }
  };
  return { secret, deregister };
}

function print({ output, terminal }: Context, event: WebhookEvent): void {
  const { created_at, type, data } = event;
  const isFine = type === 'agent.completed';
  const text = isFine
    ? event.data.response
    : `${event.data.error.code}: ${event.data.error.message}`;
  const parts = [
    terminal.paint('dim', oneLine(created_at)),
    terminal.paint(isFine ? 'green' : 'red', oneLine(type)),
    oneLine(text),
    terminal.paint('dim', oneLine(data.request_id)),
  ];
  output.line(parts.join('  '), event);
}

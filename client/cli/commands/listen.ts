/** `agent-hosting webhooks listen`: receives events locally, verifies and prints them. */
import { once } from 'node:events';
import { type Command, Option } from 'commander';
import type { WebhookEvent } from '../../src/index.js';
import type { Context, Runner } from '../context.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { parsePort } from '../option-parsers.js';
import type { Line } from '../terminal.js';
import { oneLine } from '../text.js';
import { addEventOptions, type WebhookOptions, webhookRequest } from '../webhook-options.js';
import { type Receiver, startReceiver } from '../webhook-receiver.js';

interface ListenOptions extends Partial<WebhookOptions> {
  port: number;
  secret?: string;
}

export function addListenCommand(webhooks: Command, run: Runner): void {
  addEventOptions(webhooks.command('listen'))
    .description('receive events on this machine, verify and print them, until Ctrl-C')
    .option(
      '--port <number>',
      'the port on 127.0.0.1 to listen on; 0 for a free one',
      parsePort,
      4242,
    )
    .addOption(
      new Option('--secret <secret>', 'the secret of a webhook that is already registered')
        .env('AGENT_HOSTING_WEBHOOK_SECRET')
        .conflicts(['url', 'events', 'agent']),
    )
    .option('--url <url>', 'the public URL of this machine, such as that of a tunnel')
    .addHelpText('after', listenHelp)
    .action(run(listen));
}

const listenHelp = `
Without --secret a webhook is registered, and deleted again at the end. A
service delivers to 127.0.0.1 only if its operator set
ALLOW_PRIVATE_TARGETS=true; otherwise use a tunnel, and pass its URL with --url.
Deliveries that are not signed with the secret are rejected with a 401, and not
printed. With --json each event is one line.

Examples:
  agent-hosting webhooks listen --agent support-bot
  agent-hosting webhooks listen --url https://tunnel.acme.example --json`;

async function listen(context: Context, options: ListenOptions): Promise<void> {
  const { output } = context;
  const signal = context.interruptSignal();
  let { secret } = options;
  if (secret !== undefined && !secret.startsWith('whsec_')) {
    throw new CommandError('A secret begins with whsec_.', exitCodes.usage, [
      'agent-hosting webhooks create printed it when the webhook was created.',
    ]);
  }
  const receiver = await startReceiver({
    port: options.port,
    secret: () => secret,
    onEvent: (event) => {
      print(context, event);
    },
    onRejected: (reason) => {
      output.note([{ style: 'red', text: 'Rejected a delivery:' }, ` ${reason}`]);
    },
  });
  let unregister = () => Promise.resolve();
  try {
    if (secret === undefined) ({ secret, unregister } = await register(context, options, receiver));
    output.note(`Listening at ${receiver.url}. Ctrl-C ends it.`);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await receiver.close();
    await unregister();
  }
}

async function register(context: Context, options: ListenOptions, receiver: Receiver) {
  const { webhooks } = await context.client();
  const request = webhookRequest({ ...options, url: options.url ?? receiver.url });
  const { id, secret } = await context.withSpinner('Registering', webhooks.create(request));
  const unregister = async () => {
    try {
      await context.withSpinner('Deleting the webhook', webhooks.delete(id));
    } catch (error) {
      context.output.note(`The webhook ${id} is still registered.`);
      throw error;
    }
  };
  return { secret, unregister };
}

function print({ output }: Context, event: WebhookEvent): void {
  const { created_at, type, data } = event;
  const isSuccess = type === 'agent.completed';
  const text = isSuccess
    ? event.data.response
    : `${event.data.error.code}: ${event.data.error.message}`;
  const line: Line = [
    { style: 'dim', text: created_at },
    '  ',
    { style: isSuccess ? 'green' : 'red', text: type },
    `  ${oneLine(text)}  `,
    { style: 'dim', text: data.request_id },
  ];
  output.line(line, event);
}

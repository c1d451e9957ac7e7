/** `agent-hosting webhooks listen`: receives events locally, verifies, prints and forwards them. */
import { once } from 'node:events';
import { type Command, Option } from 'commander';
import type { Context, Runner } from '../context.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { isLoopback, isUnencrypted, parseHttpUrl } from '../http-url.js';
import { parsePort } from '../option-parsers.js';
import { addEventOptions, registerWebhook, type WebhookOptions } from '../webhook-options.js';
import { forward } from '../webhook-forwarder.js';
import { eventLine, forwardingLine } from '../webhook-lines.js';
import {
  type Acknowledgement,
  type Delivery,
  type Receiver,
  startReceiver,
} from '../webhook-receiver.js';

interface ListenOptions extends Partial<WebhookOptions> {
  port: number;
  secret?: string;
  forwardTo?: string;
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
    .option('--forward-to <url>', 'forward each event unchanged, including its signature')
    .addHelpText('after', listenHelp)
    .action(run(listen));
}

const listenHelp = `
Without --secret a webhook is registered, and deleted again at the end. A
service delivers to 127.0.0.1 only if its operator set
ALLOW_PRIVATE_TARGETS=true; otherwise use a tunnel, and pass its URL with --url.
Deliveries that are not signed with the secret are rejected with a 401, and not
printed. With --json each event is one line.

With --forward-to the signing secret is printed too, so that your receiver can
verify the events. The status of its response is returned to the service, which
tries again after anything but a 2xx.

Examples:
  agent-hosting webhooks listen --agent support-bot
  agent-hosting webhooks listen --forward-to http://127.0.0.1:8000/hook
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
  const target = forwardTarget(options);
  const receiver = await startReceiver({
    port: options.port,
    secret: () => secret,
    onDelivery: (delivery) => handleDelivery(context, delivery, target, signal),
    onRejected: (reason) => {
      output.note([{ style: 'red', text: 'Rejected a delivery:' }, ` ${reason}`]);
    },
  });
  let unregister = () => Promise.resolve();
  try {
    if (target) assertAnotherReceiver(target, receiver);
    if (secret === undefined) ({ secret, unregister } = await register(context, options, receiver));
    if (target) noteForwarding(context, target, secret);
    output.note(`Listening at ${receiver.url}. Press Ctrl-C to stop.`);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await receiver.close();
    await unregister();
  }
}

async function register(context: Context, options: ListenOptions, receiver: Receiver) {
  const { webhooks } = await context.client();
  const { id, secret } = await registerWebhook(
    context,
    { ...options, url: options.url ?? receiver.url },
    ['Or open a tunnel to this machine, and pass its URL: webhooks listen --url https://…'],
  );
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

function forwardTarget({ forwardTo }: ListenOptions): URL | undefined {
  return forwardTo === undefined ? undefined : parseHttpUrl(forwardTo, 'of --forward-to');
}

/** Forwarding events to this command itself would be an endless loop. */
function assertAnotherReceiver(target: URL, { url }: Receiver): void {
  if (!isLoopback(target) || target.port !== new URL(url).port) return;
  throw new CommandError(`${target.href} is this command itself.`, exitCodes.usage, [
    'Name your own receiver with --forward-to, or choose another --port for this command.',
  ]);
}

/** Prints the secret with --json too, since the receiver needs it to verify events. */
function noteForwarding({ terminal, output }: Context, target: URL, secret: string): void {
  terminal.note(`The signing secret for your receiver, until this command ends: ${secret}`);
  output.note(`Forwarding to ${target.href}`);
  if (isUnencrypted(target)) output.note('It is not https: events are forwarded unencrypted.');
}

async function handleDelivery(
  context: Context,
  delivery: Delivery,
  target: URL | undefined,
  signal: AbortSignal,
): Promise<Acknowledgement> {
  const { event } = delivery;
  if (!target) {
    context.output.line(eventLine(event), event);
    return { status: 204 };
  }
  const { output, terminal } = context;
  if (!output.isJson) terminal.print(eventLine(event));
  const forwarding = await forward(target, delivery, signal);
  const { status, error, durationMs } = forwarding;
  const forwarded = { status, error, duration_ms: durationMs };
  output.line(forwardingLine(forwarding, event), { ...event, forwarded });
  return forwarding;
}

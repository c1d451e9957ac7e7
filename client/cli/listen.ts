/** `agent-hosting webhooks listen`: a receiver on this machine that verifies and prints what arrives. */
import { once } from 'node:events';
import type { Command } from 'commander';
import type { AgentHosting, EventType, WebhookEvent } from '../src/index.js';
import { eventList, requestFrom } from './commands/webhooks.js';
import type { Context, Runner } from './context.js';
import { port } from './numbers.js';
import { startReceiver } from './receiver.js';
import { oneLine } from './text.js';

interface ListenOptions {
  port: number;
  secret?: string;
  url?: string;
  events?: EventType[];
  agent?: string;
}

export function addListenCommand(webhooks: Command, run: Runner): void {
  webhooks
    .command('listen')
    .description('receive events on this machine, verify and print them, until Ctrl-C')
    .option('--port <number>', 'where to listen, on 127.0.0.1; 0 takes a free one', port, 4242)
    .option('--secret <secret>', 'of a webhook that is registered already')
    .option('--url <url>', 'where this machine is reached from outside, if not by its own address')
    .option('--events <list>', 'which events', eventList)
    .option('--agent <agent>', 'the one agent whose events are wanted')
    .addHelpText('after', listenHelp)
    .action(run(listen));
}

const listenHelp = `
Without --secret a webhook is registered, and deleted again at the end. A service on this machine delivers to 127.0.0.1 only
where its operator set ALLOW_PRIVATE_TARGETS=true; otherwise put a tunnel in front, and name its address with --url.

Examples:
  agent-hosting webhooks listen --agent support-bot
  agent-hosting webhooks listen --url https://tunnel.acme.example --json`;

async function listen(context: Context, options: ListenOptions): Promise<void> {
  const { output } = context;
  const signal = context.interruptible();
  let secret = options.secret;
  const receiver = await startReceiver({
    port: options.port,
    secret: () => secret,
    received: (event) => {
      print(context, event);
    },
    refused: (reason) => {
      output.note(context.terminal.paintNote('red', `Refused a delivery: ${reason}`));
    },
  });
  let registered: { client: AgentHosting; id: string } | undefined;
  try {
    if (secret === undefined) {
      const client = await context.client();
      const made = await client.webhooks.create(
        requestFrom({ ...options, url: options.url ?? receiver.url }),
      );
      registered = { client, id: made.id };
      secret = made.secret;
    }
    output.note(`Listening at ${receiver.url}. Ctrl-C ends it.`);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await registered?.client.webhooks.delete(registered.id);
    await receiver.close();
  }
}

function print({ output, terminal }: Context, event: WebhookEvent): void {
  const { created_at, type, data } = event;
  const isFine = type === 'agent.completed';
  const text = isFine
    ? event.data.response
    : `${event.data.error.code}: ${event.data.error.message}`;
  const parts = [
    terminal.paint('dim', created_at),
    terminal.paint(isFine ? 'green' : 'red', type),
    oneLine(text),
    terminal.paint('dim', data.request_id),
  ];
  output.line(parts.join('  '), event);
}

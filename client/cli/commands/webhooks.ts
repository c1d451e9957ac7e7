/** `agent-hosting webhooks`: addresses that receive events, and a receiver to try them with. */
import { type Command, InvalidArgumentError } from 'commander';
import type { EventType, Webhook, WebhookRequest } from '../../src/index.js';
import { confirm } from '../ask.js';
import type { Runner } from '../context.js';
import { addListenCommand } from '../listen.js';
import { listOptions, taken } from '../lists.js';
import type { Column } from '../table.js';

export const everyEvent: EventType[] = ['agent.completed', 'agent.failed'];

const columns: Column<Webhook>[] = [
  { title: 'url', value: ({ url }) => url },
  { title: 'events', value: ({ events }) => events.join(',') },
  { title: 'agent', value: ({ agent_id }) => agent_id ?? 'all' },
  { title: 'status', value: ({ status }) => status },
  { title: 'last delivery', value: ({ last_delivery }) => last_delivery?.status ?? '–' },
  { title: 'id', value: ({ id }) => id, isWhole: true },
];

interface CreateOptions {
  url: string;
  events?: EventType[];
  agent?: string;
}

export function addWebhookCommands(program: Command, run: Runner): void {
  const webhooks = program
    .command('webhooks')
    .description('look after the addresses that receive events');

  webhooks
    .command('create')
    .description('register an address, and print the secret of its signatures this once')
    .requiredOption('--url <url>', 'the https address that receives the events')
    .option('--events <list>', `which events, out of ${everyEvent.join(', ')}`, eventList)
    .option('--agent <agent>', 'the one agent, by name or id, whose events are sent')
    .addHelpText(
      'after',
      '\nExample:\n  agent-hosting webhooks create --url https://hooks.acme.example/agents',
    )
    .action(
      run(async ({ client, wait, output }, options: CreateOptions) => {
        const { webhooks: api } = await client();
        const made = await wait('Registering', api.create(requestFrom(options)));
        output.note(`Keep the secret: it is shown this once. The webhook is ${made.id}.`);
        output.done(made.secret, made);
      }),
    );

  listOptions(webhooks.command('list').description('list the webhooks, newest first'))
    .option('--agent <agent>', 'only those limited to this agent')
    .addHelpText('after', '\nExample:\n  agent-hosting webhooks list')
    .action(
      run(async (context, { limit, agent }: { limit: number; agent?: string }) => {
        const { webhooks: api } = await context.client();
        const pages = api.list(agent === undefined ? {} : { agent_id: agent });
        context.output.list(await context.wait('Reading webhooks', taken(pages, limit)), columns);
      }),
    );

  webhooks
    .command('delete')
    .description('remove a webhook, and drop what still waits to be delivered')
    .argument('<id>', 'the id of the webhook')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      '\nExample:\n  agent-hosting webhooks delete wh_01m3y21g40em7a3s4w04zg1hhc',
    )
    .action(
      run(async ({ client, terminal, wait, output }, { yes }: { yes?: boolean }, id = '') => {
        await confirm(terminal, `Delete the webhook ${id}?`, yes);
        const { webhooks: api } = await client();
        const deletion = await wait('Deleting', api.delete(id));
        output.done(`${id} is gone.`, deletion);
      }),
    );

  addListenCommand(webhooks, run);
}

export function requestFrom({ url, agent, events = everyEvent }: CreateOptions): WebhookRequest {
  return { url, events, ...(agent !== undefined && { agent_id: agent }) };
}

export function eventList(text: string): EventType[] {
  const names = text.split(',').map((name) => name.trim());
  const known = everyEvent.filter((event) => names.includes(event));
  const unknown = names.find((name) => !known.some((event) => event === name));
  if (unknown === undefined) return known;
  throw new InvalidArgumentError(`'${unknown}' is none of ${everyEvent.join(', ')}.`);
}

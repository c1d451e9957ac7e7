/** `agent-hosting webhooks`: addresses that receive events, and a receiver to try them with. */
import type { Command } from 'commander';
import type { Webhook, WebhookStatus } from '../../src/index.js';
import { confirm } from '../ask.js';
import { someOf } from '../choices.js';
import type { Context, Runner } from '../context.js';
import { everyEvent, requestFrom, type WebhookWish } from '../events.js';
import { listOptions, showList } from '../lists.js';
import type { Column } from '../table.js';
import type { Style } from '../terminal.js';
import { addListenCommand } from './listen.js';

const statusStyles: Record<WebhookStatus, Style> = { enabled: 'green', disabled: 'red' };

const columns: Column<Webhook>[] = [
  { title: 'url', value: ({ url }) => url },
  { title: 'events', value: ({ events }) => events.join(','), isMinor: true },
  { title: 'agent', value: ({ agent_id }) => agent_id ?? 'all' },
  {
    title: 'status',
    value: ({ status }) => status,
    isWhole: true,
    style: ({ status }) => statusStyles[status],
  },
  { title: 'last delivery', value: ({ last_delivery }) => last_delivery?.status ?? '–' },
  { title: 'id', value: ({ id }) => id, isWhole: true },
];

export function addWebhookCommands(program: Command, run: Runner): void {
  const webhooks = program
    .command('webhooks')
    .description('look after the addresses that receive events');

  webhooks
    .command('create')
    .description('register an address, and print the secret of its signatures this once')
    .requiredOption('--url <url>', 'the https address that receives the events')
    .option('--events <list>', `which events, out of ${everyEvent.join(', ')}`, someOf(everyEvent))
    .option('--agent <agent>', 'the one agent, by name or id, whose events are sent')
    .addHelpText(
      'after',
      `
Only the secret itself goes to standard output.

Examples:
  agent-hosting webhooks create --url https://hooks.acme.example/agents
  agent-hosting webhooks create --url https://hooks.acme.example/down --events agent.failed`,
    )
    .action(
      run(async ({ client, wait, output }, options: WebhookWish) => {
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
        const filter = agent === undefined ? {} : { agent_id: agent };
        await showList(context, limit, columns, (page) => api.list({ ...page, ...filter }));
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
    .action(run(remove));

  addListenCommand(webhooks, run);
}

async function remove(context: Context, { yes }: { yes?: boolean }, id = ''): Promise<void> {
  const { webhooks: api } = await context.client();
  await confirm(context.terminal, `Delete the webhook ${id}?`, yes);
  const deletion = await context.wait('Deleting', api.delete(id));
  context.output.done(`${id} is gone.`, deletion);
}

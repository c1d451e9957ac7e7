/** `agent-hosting webhooks`: manages webhooks and receives their events locally. */
import { type Command, Option } from 'commander';
import { eventTypes } from '../../src/generated/service.js';
import type { EventType, Webhook, WebhookDelivery, WebhookStatus } from '../../src/index.js';
import { agentColumn } from '../agent-names.js';
import type { Context, Runner } from '../context.js';
import { addListOptions, printList } from '../lists.js';
import { confirm } from '../prompt.js';
import { type Column, idColumn, statusColumn, timeColumn } from '../table.js';
import type { Style } from '../terminal.js';
import { addEventOptions, registerWebhook, type WebhookOptions } from '../webhook-options.js';
import { addListenCommand } from './listen.js';

const statusStyles: Record<WebhookStatus, Style> = { enabled: 'green', disabled: 'red' };

const createColumns = (agent: Column<Webhook>): Column<Webhook>[] => [
  { title: 'url', value: ({ url }) => url },
  { title: 'events', value: ({ events }) => events.join(','), hideIfNarrow: true },
  agent,
  statusColumn(statusStyles),
  { title: 'last delivery', value: ({ last_delivery }) => formatDelivery(last_delivery) },
  { title: 'error', value: ({ last_delivery }) => last_delivery?.error ?? '–', hideIfNarrow: true },
  {
    ...timeColumn('next attempt', ({ last_delivery }) => last_delivery?.next_attempt_at ?? null),
    hideIfNarrow: true,
  },
  idColumn,
];

function formatDelivery(delivery: WebhookDelivery | null): string {
  if (!delivery) return '–';
  const { status, response_code } = delivery;
  return typeof response_code === 'number' ? `${status} (${response_code})` : status;
}

interface ListOptions {
  limit: number;
  agent?: string;
  event?: EventType;
}

export function addWebhookCommands(webhooks: Command, run: Runner): void {
  addEventOptions(
    webhooks
      .command('create')
      .description('register a URL, and print the signing secret; it is shown only once')
      .requiredOption('--url <url>', 'the https URL that receives the events'),
  )
    .addHelpText(
      'after',
      `
Only the secret itself goes to standard output.

Examples:
  agent-hosting webhooks create --url https://hooks.acme.example/agents
  agent-hosting webhooks create --url https://hooks.acme.example/down --events agent.failed`,
    )
    .action(
      run(async (context, options: WebhookOptions) => {
        const { output } = context;
        const created = await registerWebhook(context, options);
        output.note(`Save the secret: it is shown only once. The webhook is ${created.id}.`);
        output.result(created.secret, created);
      }),
    );

  addListOptions(webhooks.command('list').description('list the webhooks, newest first'))
    .option('--agent <agent>', 'only those limited to this agent')
    .addOption(
      new Option('--event <event>', 'only those that receive this event').choices(eventTypes),
    )
    .addHelpText('after', '\nExample:\n  agent-hosting webhooks list --event agent.failed')
    .action(
      run(async (context, { limit, agent, event }: ListOptions) => {
        const client = await context.client();
        const filter = {
          ...(agent !== undefined && { agent_id: agent }),
          ...(event !== undefined && { event }),
        };
        await printList(
          context,
          limit,
          async (rows: Webhook[]) => createColumns(await agentColumn(client, rows)),
          (page) => client.webhooks.list({ ...page, ...filter }),
        );
      }),
    );

  webhooks
    .command('delete')
    .description('delete a webhook, and discard its pending deliveries')
    .argument('<id>', 'the id of the webhook')
    .option('--yes', 'skip the confirmation')
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
  const deletion = await context.withSpinner('Deleting', api.delete(id));
  context.output.result(`${id} was deleted.`, deletion);
}

/** `operator deliveries`: lists, replays and gives up deliveries to webhooks. */
import { type Command, Option } from 'commander';
import { statusColumn } from '../../client/cli/table.js';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import {
  type DeliveryListing,
  type DeliverySelector,
  deliveryStatuses,
  giveUpDeliveries,
  listDeliveries,
  replayDeliveries,
} from '../webhooks/deliveries/deliveries.js';
import { CommandFailure } from './failure.js';
import type { Run } from './context.js';
import { dateColumn } from './output.js';
import { parseCount } from './option-parsers.js';

const json = (delivery: DeliveryListing) => ({
  event_id: delivery.eventId,
  webhook_id: delivery.webhookId,
  event: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts,
  created_at: delivery.createdAt.toISOString(),
  last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
  last_status_code: delivery.lastStatusCode,
  last_error: delivery.lastError,
  next_attempt_at: nextAttempt(delivery)?.toISOString() ?? null,
});

export function addDeliveryCommands(deliveries: Command, run: Run): void {
  deliveries
    .command('list')
    .description('list deliveries, newest first')
    .option('--event <id>', 'only deliveries of this event')
    .option('--webhook <id>', 'only deliveries to this webhook')
    .addOption(
      new Option('--status <status>', 'only deliveries with this status').choices(deliveryStatuses),
    )
    .option('--limit <count>', 'maximum number of deliveries', parseCount, 50)
    .action(
      (options: {
        event?: string;
        webhook?: string;
        status?: DeliveryListing['status'];
        limit: number;
      }) =>
        run(async ({ database, reader, output }) => {
          const { event, webhook, status, limit } = options;
          const statuses = status === undefined ? deliveryStatuses : [status];
          output.table(
            await listDeliveries(database, await reader(), { event, webhook, statuses, limit }),
            [
              { title: 'event', value: ({ eventId }) => eventId, neverTruncate: true },
              { title: 'webhook', value: ({ webhookId }) => webhookId, neverTruncate: true },
              { title: 'type', value: ({ type }) => type, hideIfNarrow: true },
              statusColumn({ pending: 'yellow', succeeded: 'green', failed: 'red' }),
              { title: 'attempts', value: ({ attempts }) => String(attempts) },
              dateColumn('next', nextAttempt),
              { title: 'last error', value: ({ lastError }) => lastError ?? '–' },
            ],
            json,
          );
        }),
    );

  deliveries
    .command('replay')
    .description('send again: an event, delivered or not, or all failed deliveries to a webhook')
    .argument('[event]', 'id of the event')
    .option('--webhook <id>', 'only deliveries to this webhook')
    .action((event: string | undefined, { webhook }: { webhook?: string }) =>
      run(async ({ database, caller, output }) => {
        const selector = requireSelector({ event, webhook });
        const replayed = await replayDeliveries(database, await caller(), selector);
        output.done(`${describeCount(replayed)} will be sent again.`, { replayed });
      }),
    );

  deliveries
    .command('dead-letter')
    .alias('fail')
    .description('give up pending deliveries; replay sends them again')
    .argument('[event]', 'id of the event')
    .option('--webhook <id>', 'only deliveries to this webhook')
    .action((event: string | undefined, { webhook }: { webhook?: string }) =>
      run(async ({ database, caller, output }) => {
        const selector = requireSelector({ event, webhook });
        const failed = await giveUpDeliveries(database, await caller(), selector);
        output.done(`${describeCount(failed)} given up.`, { failed });
      }),
    );
}

function nextAttempt({ status, nextAttemptAt }: DeliveryListing): Date | null {
  return status === 'pending' ? nextAttemptAt : null;
}

/** Without a filter the command would apply to all deliveries, which is never intended. */
function requireSelector(selector: DeliverySelector): DeliverySelector {
  if (selector.event === undefined && selector.webhook === undefined) {
    throw new CommandFailure(
      'Name an event, or a webhook with --webhook, or both.',
      [],
      exitCodes.usage,
    );
  }
  return selector;
}

function describeCount(deliveries: number): string {
  return deliveries === 1 ? '1 delivery' : `${deliveries} deliveries`;
}

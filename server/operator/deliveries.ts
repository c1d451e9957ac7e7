/** `operator deliveries`: what was sent to webhooks, what was not, and what to do about it. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type DeliverySelector,
  type DeliveryListing,
  type DeliveryStatus,
  deliveryStatuses,
  giveUpDeliveries,
  listDeliveries,
  replayDeliveries,
} from '../domain/deliveries.js';
import { CommandFailure } from './failure.js';
import type { Run } from './context.js';

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
  next_attempt_at: nextAttempt(delivery),
});

export function addDeliveryCommands(operator: Command, run: Run): void {
  const deliveries = operator.command('deliveries').description('what is sent to webhooks');

  deliveries
    .command('list')
    .description('list deliveries, newest first')
    .option('--event <id>', 'only those of this event')
    .option('--webhook <id>', 'only those to this webhook')
    .addOption(new Option('--status <status>', 'only those').choices(deliveryStatuses))
    .option('--limit <count>', 'how many', readCount, 50)
    .action(
      (options: { event?: string; webhook?: string; status?: DeliveryStatus; limit: number }) =>
        run(async ({ database, caller, output }) => {
          const { event, webhook, status, limit } = options;
          output.table(
            await listDeliveries(database, await caller(), { event, webhook, status, limit }),
            [
              { title: 'event', value: ({ eventId }) => eventId },
              { title: 'webhook', value: ({ webhookId }) => webhookId },
              { title: 'type', value: ({ type }) => type },
              { title: 'status', value: (delivery) => delivery.status },
              { title: 'attempts', value: ({ attempts }) => String(attempts) },
              { title: 'next', value: (delivery) => nextAttempt(delivery) ?? '-' },
              { title: 'last error', value: ({ lastError }) => lastError ?? '-' },
            ],
            json,
          );
        }),
    );

  deliveries
    .command('replay')
    .description('send again: an event, whatever became of it, or all that failed of a webhook')
    .argument('[event]', 'the event')
    .option('--webhook <id>', 'only what goes to this webhook')
    .action((event: string | undefined, { webhook }: { webhook?: string }) =>
      run(async ({ database, caller, output }) => {
        const choice = demandChoice({ event, webhook });
        const replayed = await replayDeliveries(database, await caller(), choice);
        output.done(`${count(replayed)} sent again.`, { replayed });
      }),
    );

  deliveries
    .command('dead-letter')
    .alias('fail')
    .description('give up what is still pending; replay takes it up again')
    .argument('[event]', 'the event')
    .option('--webhook <id>', 'only what goes to this webhook')
    .action((event: string | undefined, { webhook }: { webhook?: string }) =>
      run(async ({ database, caller, output }) => {
        const choice = demandChoice({ event, webhook });
        const failed = await giveUpDeliveries(database, await caller(), choice);
        output.done(`${count(failed)} given up.`, { failed });
      }),
    );
}

function nextAttempt({ status, nextAttemptAt }: DeliveryListing): string | null {
  return status === 'pending' ? nextAttemptAt.toISOString() : null;
}

/** Everything at once is never what was meant. */
function demandChoice(choice: DeliverySelector): DeliverySelector {
  if (choice.event === undefined && choice.webhook === undefined) {
    throw new CommandFailure('Name an event, or a webhook with --webhook, or both.');
  }
  return choice;
}

function count(deliveries: number): string {
  return deliveries === 1 ? '1 delivery is' : `${deliveries} deliveries are`;
}

function readCount(text: string): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
}

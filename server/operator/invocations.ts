/** `operator invocations`: lists and cancels queued and running asynchronous invocations. */
import { type Command, Option } from 'commander';
import { idColumn, statusColumn } from '../../client/cli/table.js';
import { cancelInvocation, listInvocations } from '../invocations/cancel.js';
import type { WaitingInvocation, WaitingStatus } from '../invocations/waiting.sql.js';
import type { Run } from './context.js';
import { dateColumn } from './output.js';
import { parseCount } from './option-parsers.js';

export function addInvocationCommands(invocations: Command, run: Run): void {
  invocations
    .command('list')
    .description('list the invocations of the account, oldest first')
    .option('--agent <agent>', 'only invocations of this agent, by id or name')
    .addOption(
      new Option('--status <status>', 'only invocations with this status').choices([
        'queued',
        'running',
      ]),
    )
    .option('--limit <count>', 'maximum number of invocations', parseCount, 100)
    .action((options: { agent?: string; status?: WaitingStatus; limit: number }) =>
      run(async ({ database, accountToRead, reader, output }) => {
        const { agent, status, limit } = options;
        const { name } = await accountToRead();
        output.table(
          await listInvocations(database, await reader(), { agent, status, limit }),
          [
            idColumn,
            { title: 'agent', value: ({ agentName }) => agentName },
            { title: 'account', value: () => name },
            statusColumn({ queued: 'yellow', running: 'green' }),
            dateColumn('since', ({ createdAt }) => createdAt),
            { title: 'attempts', value: ({ attempts }) => String(attempts) },
            { title: 'user', value: ({ userId }) => userId ?? '–' },
          ],
          (invocation) => json(invocation, name),
        );
      }),
    );

  invocations
    .command('cancel')
    .description(
      "cancel an invocation: it fails with the code 'cancelled', and its model call stops",
    )
    .argument('<request_id>', 'the request id of the invocation')
    .action((id: string) =>
      run(async ({ database, secrets, caller, output }) => {
        const { was } = await cancelInvocation({ database, secrets }, await caller(), id);
        const effect = effects[was];
        output.done(`Invocation '${id}' is cancelled. ${effect}`, { id, cancelled: true, was });
      }),
    );
}

const effects = {
  running: 'It was running; its model call stops within a few seconds.',
  queued: 'It was queued and will not run.',
  paused: 'It waited for approval; its calls are not made.',
};

function json(
  { id, agentName, status, createdAt, attempts, userId }: WaitingInvocation,
  account: string,
) {
  return {
    id,
    agent: agentName,
    account,
    status,
    since: createdAt.toISOString(),
    attempts,
    user_id: userId,
  };
}

/** `operator approvals`: lists the runs that wait for somebody to approve tool calls. `invocations cancel` closes one. */
import type { Command } from 'commander';
import { idColumn } from '../../client/cli/table.js';
import { listPaused, type WaitingRun } from '../invocations/approvals.js';
import type { Run } from './context.js';
import { parseCount } from './option-parsers.js';
import { dateColumn } from './output.js';

export function addApprovalCommands(approvals: Command, run: Run): void {
  approvals
    .command('list')
    .description('list the runs of the account that wait for approval, oldest first')
    .option('--agent <agent>', 'only runs of this agent, by id or name')
    .option('--limit <count>', 'maximum number of runs', parseCount, 100)
    .action((options: { agent?: string; limit: number }) =>
      run(async ({ database, secrets, accountToRead, reader, output }) => {
        const { agent, limit } = options;
        const { name } = await accountToRead();
        const waiting = await listPaused({ database, secrets }, await reader(), { agent, limit });
        output.table(
          waiting.map((one) => ({ id: one.requestId, ...one })),
          [
            idColumn,
            { title: 'agent', value: ({ agentName }) => agentName },
            { title: 'account', value: () => name },
            {
              title: 'waits for',
              value: ({ approvals: calls }) =>
                calls.map(({ tool, approver }) => `${tool} (${approver})`).join(', '),
            },
            dateColumn('since', ({ createdAt }) => createdAt),
            dateColumn('until', ({ expiresAt }) => expiresAt),
            { title: 'user', value: ({ userId }) => userId ?? '–' },
          ],
          (one) => json(one, name),
        );
      }),
    );
}

function json(
  { requestId, agentName, createdAt, expiresAt, userId, approvals }: WaitingRun,
  account: string,
) {
  return {
    id: requestId,
    agent: agentName,
    account,
    since: createdAt.toISOString(),
    until: expiresAt.toISOString(),
    user_id: userId,
    approvals,
  };
}

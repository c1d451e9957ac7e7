/** `operator agents`: the agents of an account. */
import type { Command } from 'commander';
import { idColumn, statusColumn } from '../../client/cli/table.js';
import { deleteWaitingInvocations } from '../invocations/waiting.sql.js';
import { agentNotFound } from '../accounts/caller.js';
import {
  type AgentListing,
  deleteAgent,
  getAgent,
  listAgents,
  setAgentStatus,
  type StoredAgent,
} from '../agents/agents.js';
import { confirm } from './confirm.js';
import type { Run } from './context.js';
import { dateColumn } from './output.js';
import { addManifestCommands } from './manifest-commands.js';

const json = ({ id, name, status, createdAt }: AgentListing) => ({
  id,
  name,
  status,
  created_at: createdAt.toISOString(),
});

export function addAgentCommands(agents: Command, run: Run): void {
  addManifestCommands(agents, run);

  agents
    .command('list')
    .description('list the agents of the account by name')
    .action(() =>
      run(async ({ database, reader, output }) => {
        const { items } = await listAgents(database, await reader(), {
          status: undefined,
          name: undefined,
          sort: 'name',
          limit: 1_000_000,
          offset: 0,
        });
        output.table(
          items,
          [
            { title: 'name', value: ({ name }) => name, neverTruncate: true },
            statusColumn({ running: 'green', stopped: 'yellow' }),
            idColumn,
            dateColumn('created', ({ createdAt }) => createdAt),
          ],
          json,
        );
      }),
    );

  addStatusCommand(
    agents,
    run,
    'stop',
    'stopped',
    'stop an agent: invocations are answered with 409 until it is started',
  );
  addStatusCommand(agents, run, 'start', 'running', 'start an agent that was stopped');

  agents
    .command('delete')
    .description('delete an agent and everything that belongs to it')
    .argument('<agent>', 'its id or name')
    .option('--yes', 'do not ask for confirmation', false)
    .action((reference: string, options: { yes: boolean }) =>
      run(async ({ database, caller, output }) => {
        const operator = await caller();
        const { id, name } = await getAgent(database, operator, reference);
        await confirm(
          `Delete agent '${name}' with its deployments, memory, logs, webhooks and keys?`,
          options,
        );
        const isDeleted = await database.transaction((transaction) =>
          deleteAgent(transaction, {
            accountId: operator.accountId,
            id,
            deleteWaiting: deleteWaitingInvocations,
          }),
        );
        if (!isDeleted) throw agentNotFound(reference);
        output.done(`Agent '${name}' is deleted.`, { id, deleted: true });
      }),
    );
}

function addStatusCommand(
  agents: Command,
  run: Run,
  verb: string,
  status: StoredAgent['status'],
  description: string,
): void {
  agents
    .command(verb)
    .description(description)
    .argument('<agent>', 'its id or name')
    .action((reference: string) =>
      run(async ({ database, caller, output }) => {
        const agent = await setAgentStatus(database, await caller(), { reference, status });
        output.done(`Agent '${agent.name}' is ${status}.`, json(agent));
      }),
    );
}

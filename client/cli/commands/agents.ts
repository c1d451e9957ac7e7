/** `agent-hosting agents`: invoke agents, and look after their draft configuration. */
import type { Command } from 'commander';
import type { AgentStatus, AgentSummary } from '../../src/index.js';
import { confirm } from '../ask.js';
import type { Runner } from '../context.js';
import { addInvokeCommand } from '../invoke.js';
import { listOptions, taken } from '../lists.js';
import { number } from '../numbers.js';
import type { Column } from '../table.js';
import { seconds } from '../time.js';

const columns: Column<AgentSummary>[] = [
  { title: 'name', value: ({ name }) => name, isWhole: true },
  { title: 'status', value: ({ status }) => status },
  { title: 'created', value: ({ created_at }) => seconds(created_at) },
  { title: 'id', value: ({ id }) => id, isWhole: true },
];

interface ListOptions {
  limit: number;
  status?: AgentStatus;
}

interface UpdateOptions {
  model?: string;
  temperature?: number;
  mfaCode?: string;
}

interface DeleteOptions {
  yes?: boolean;
  mfaCode?: string;
}

export function addAgentCommands(program: Command, run: Runner): void {
  const agents = program.command('agents').description('invoke agents, and change their draft');

  listOptions(agents.command('list').description('list the agents of the account, newest first'))
    .option('--status <status>', 'only agents with this status, such as running')
    .addHelpText('after', '\nExample:\n  agent-hosting agents list --json | jq -r ".[].name"')
    .action(
      run(async ({ client, wait, output }, { limit, status }: ListOptions) => {
        const { agents: api } = await client();
        const rows = await wait('Reading agents', taken(api.list(status && { status }), limit));
        output.list(rows, columns);
      }),
    );

  agents
    .command('get')
    .description('show an agent with its draft configuration')
    .argument('<agent>', 'its name or id')
    .addHelpText('after', '\nExample:\n  agent-hosting agents get support-bot')
    .action(
      run(async ({ client, wait, output }, _options, agent = '') => {
        output.record(await wait('Reading the agent', (await client()).agents.get(agent)));
      }),
    );

  addInvokeCommand(agents, run);

  agents
    .command('update')
    .description('change the draft configuration; what is deployed stays until the next deployment')
    .argument('<agent>', 'its name or id')
    .option('--model <model>', 'the model, as provider/name')
    .option('--temperature <number>', 'how freely it answers, from 0 to 2', number)
    .option('--mfa-code <code>', 'a one-time code, where the agent demands one')
    .addHelpText('after', '\nExample:\n  agent-hosting agents update support-bot --temperature 0.2')
    .action(
      run(async ({ client, wait, output }, options: UpdateOptions, agent = '') => {
        const { mfaCode, ...changes } = options;
        const { agents: api } = await client();
        const work = api.update(agent, changes, { mfaCode });
        output.record(await wait('Changing the agent', work));
      }),
    );

  agents
    .command('delete')
    .description('delete an agent with all that belongs to it; this cannot be undone')
    .argument('<agent>', 'its name or id')
    .option('--yes', 'do not ask')
    .option('--mfa-code <code>', 'a one-time code, where the agent demands one')
    .addHelpText('after', '\nExample:\n  agent-hosting agents delete old-bot --yes')
    .action(
      run(async ({ client, terminal, wait, output }, options: DeleteOptions, agent = '') => {
        const { yes, mfaCode } = options;
        const question = `Delete ${agent} with its deployments, memory, logs, webhooks and keys?`;
        await confirm(terminal, question, yes);
        const { agents: api } = await client();
        const deletion = await wait('Deleting the agent', api.delete(agent, { mfaCode }));
        output.done(`${agent} is gone.`, deletion);
      }),
    );
}

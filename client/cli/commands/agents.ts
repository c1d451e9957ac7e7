/** `agent-hosting agents`: invoke agents, and look after their draft configuration. */
import { type Command, Option } from 'commander';
import type { AgentStatus, AgentSummary } from '../../src/index.js';
import { confirm } from '../ask.js';
import type { Context, Runner } from '../context.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { listOptions, showList } from '../lists.js';
import { number } from '../numbers.js';
import type { Column } from '../table.js';
import type { Style } from '../terminal.js';
import { distance, seconds } from '../time.js';
import { addInvokeCommand } from './invoke.js';

const statusStyles: Record<AgentStatus, Style> = { running: 'green', stopped: 'yellow' };

const columns: Column<AgentSummary>[] = [
  { title: 'name', value: ({ name }) => name, isWhole: true },
  {
    title: 'status',
    value: ({ status }) => status,
    isWhole: true,
    style: ({ status }) => statusStyles[status],
  },
  {
    title: 'created',
    value: ({ created_at }) => seconds(created_at),
    brief: ({ created_at }) => distance(created_at),
  },
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
    .addOption(
      new Option('--status <status>', 'only agents with this status').choices(
        Object.keys(statusStyles),
      ),
    )
    .addHelpText('after', '\nExample:\n  agent-hosting agents list --json | jq -r ".[].name"')
    .action(
      run(async (context, { limit, ...filter }: ListOptions) => {
        const { agents: api } = await context.client();
        await showList(context, limit, columns, (page) => api.list({ ...page, ...filter }));
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
    .action(run(update));

  agents
    .command('delete')
    .description('delete an agent with all that belongs to it; this cannot be undone')
    .argument('<agent>', 'its name or id')
    .option('--yes', 'do not ask')
    .option('--mfa-code <code>', 'a one-time code, where the agent demands one')
    .addHelpText('after', '\nExample:\n  agent-hosting agents delete old-bot --yes')
    .action(run(remove));
}

async function update(context: Context, options: UpdateOptions, agent = ''): Promise<void> {
  const { mfaCode, ...changes } = options;
  if (Object.keys(changes).length === 0) {
    throw new CommandFailure('Nothing to change.', exitCodes.usage, [
      'Name the change with --model or --temperature.',
    ]);
  }
  const { agents: api } = await context.client();
  const work = api.update(agent, changes, { mfaCode });
  context.output.record(await context.wait('Changing the agent', work));
}

async function remove(context: Context, options: DeleteOptions, agent = ''): Promise<void> {
  const { yes, mfaCode } = options;
  const { agents: api } = await context.client();
  const question = `Delete ${agent} with its deployments, memory, logs, webhooks and keys?`;
  await confirm(context.terminal, question, yes);
  const deletion = await context.wait('Deleting the agent', api.delete(agent, { mfaCode }));
  context.output.done(`${agent} is gone.`, deletion);
}

/** `agent-hosting agents`: invokes agents, and manages their draft configuration. */
import { type Command, Option } from 'commander';
import type { AgentStatus, AgentSummary } from '../../src/index.js';
import type { Context, Runner } from '../context.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { addListOptions, printList } from '../lists.js';
import { parseNumber } from '../option-parsers.js';
import { confirm } from '../prompt.js';
import { readTextOption } from '../text-option.js';
import { type Column, idColumn, statusColumn, timeColumn } from '../table.js';
import type { Style } from '../terminal.js';
import { addApproveCommand } from './approve.js';
import { addInvokeCommand } from './invoke.js';

const statusStyles: Record<AgentStatus, Style> = { running: 'green', stopped: 'yellow' };

const columns: Column<AgentSummary>[] = [
  { title: 'name', value: ({ name }) => name, neverTruncate: true },
  statusColumn(statusStyles),
  timeColumn('created', ({ created_at }) => created_at),
  idColumn,
];

interface ListOptions {
  limit: number;
  status?: AgentStatus;
}

interface UpdateOptions {
  model?: string;
  temperature?: number;
  instructions?: string;
  mfaCode?: string;
}

interface DeleteOptions {
  yes?: boolean;
  mfaCode?: string;
}

export function addAgentCommands(agents: Command, run: Runner): void {
  addListOptions(agents.command('list').description('list the agents of the account, newest first'))
    .addOption(
      new Option('--status <status>', 'only agents with this status').choices(
        Object.keys(statusStyles),
      ),
    )
    .addHelpText('after', '\nExample:\n  agent-hosting agents list --json | jq -r ".[].name"')
    .action(
      run(async (context, { limit, ...filter }: ListOptions) => {
        const { agents: api } = await context.client();
        await printList(context, limit, columns, (page) => api.list({ ...page, ...filter }));
      }),
    );

  agents
    .command('get')
    .description('show an agent with its draft configuration')
    .argument('<agent>', 'its name or id')
    .addHelpText('after', '\nExample:\n  agent-hosting agents get support-bot')
    .action(
      run(async ({ client, withSpinner, output }, _options, agent = '') => {
        output.record(await withSpinner('Reading the agent', (await client()).agents.get(agent)));
      }),
    );

  addInvokeCommand(agents, run);
  addApproveCommand(agents, run);

  agents
    .command('update')
    .description('change the draft configuration; what is deployed stays until the next deployment')
    .argument('<agent>', 'its name or id')
    .option('--model <model>', 'the model, as provider/name')
    .option('--temperature <number>', 'the sampling temperature, from 0 to 2', parseNumber)
    .option(
      '--instructions <text>',
      'the system prompt; @file reads it from a file, - from standard input',
    )
    .option('--mfa-code <code>', 'a one-time code, if the agent requires one')
    .addHelpText(
      'after',
      `
Examples:
  agent-hosting agents update support-bot --temperature 0.2
  agent-hosting agents update support-bot --instructions @prompt.md`,
    )
    .action(run(update));

  agents
    .command('delete')
    .description('delete an agent and everything that belongs to it; this cannot be undone')
    .argument('<agent>', 'its name or id')
    .option('--yes', 'skip the confirmation')
    .option('--mfa-code <code>', 'a one-time code, if the agent requires one')
    .addHelpText('after', '\nExample:\n  agent-hosting agents delete old-bot --yes')
    .action(run(remove));
}

async function update(context: Context, options: UpdateOptions, agent = ''): Promise<void> {
  const { mfaCode, instructions, ...others } = options;
  const changes = {
    ...others,
    ...(instructions === undefined
      ? {}
      : { instructions: await readTextOption('--instructions', instructions) }),
  };
  if (Object.keys(changes).length === 0) {
    throw new CommandError('Nothing to change.', exitCodes.usage, [
      'Pass --model, --temperature or --instructions.',
    ]);
  }
  const { agents: api } = await context.client();
  const work = api.update(agent, changes, { mfaCode });
  context.output.record(await context.withSpinner('Updating the agent', work));
}

async function remove(context: Context, options: DeleteOptions, agent = ''): Promise<void> {
  const { yes, mfaCode } = options;
  const { agents: api } = await context.client();
  const question = `Delete ${agent} with its deployments, memory, logs, webhooks and keys?`;
  await confirm(context.terminal, question, yes);
  const deletion = await context.withSpinner('Deleting the agent', api.delete(agent, { mfaCode }));
  context.output.result(`${agent} was deleted.`, deletion);
}

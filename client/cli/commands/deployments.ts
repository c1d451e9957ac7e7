/** `agent-hosting deployments`: freeze a configuration, make it active, and go back. */
import { type Command, Option } from 'commander';
import type { AgentHosting, Deployment, DeploymentStatus } from '../../src/index.js';
import type { Context, Runner } from '../context.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { listOptions, showList } from '../lists.js';
import type { Column } from '../table.js';
import type { Style } from '../terminal.js';
import { oneLine } from '../text.js';
import { distance, seconds } from '../time.js';

const statusStyles: Record<DeploymentStatus, Style> = {
  active: 'green',
  superseded: 'dim',
  rolled_back: 'yellow',
};

const columns: Column<Deployment>[] = [
  { title: 'version', value: ({ version }) => version },
  { title: 'environment', value: ({ environment }) => environment },
  {
    title: 'status',
    value: ({ status }) => status,
    isWhole: true,
    style: ({ status }) => statusStyles[status],
  },
  { title: 'model', value: ({ model }) => model, isMinor: true },
  {
    title: 'activated',
    value: ({ activated_at }) => seconds(activated_at),
    brief: ({ activated_at }) => distance(activated_at),
  },
  { title: 'id', value: ({ id }) => id, isWhole: true },
];

interface ListOptions {
  limit: number;
  environment?: string;
  status?: DeploymentStatus;
}

interface PlaceOptions {
  environment: string;
}

export function addDeploymentCommands(program: Command, run: Runner): void {
  const deployments = program
    .command('deployments')
    .description('freeze the configuration of an agent, make it active, and go back');

  deployments
    .command('create')
    .description('freeze the draft under a version, and make it active')
    .argument('<agent>', 'its name or id')
    .argument('<version>', 'a label that the environment does not have yet')
    .option('--environment <name>', 'where it becomes active', 'production')
    .addHelpText(
      'after',
      `
Examples:
  agent-hosting deployments create support-bot 1.4.0
  agent-hosting deployments create support-bot "$(git rev-parse --short HEAD)" --environment staging`,
    )
    .action(run(create));

  listOptions(
    deployments.command('list').description('list the deployments of an agent, newest first'),
  )
    .argument('<agent>', 'its name or id')
    .option('--environment <name>', 'only those in this environment')
    .addOption(
      new Option('--status <status>', 'only those with this status').choices(
        Object.keys(statusStyles),
      ),
    )
    .addHelpText('after', '\nExample:\n  agent-hosting deployments list support-bot')
    .action(
      run(async (context, { limit, ...filters }: ListOptions, agent = '') => {
        const { deployments: api } = await context.client();
        await showList(context, limit, columns, (page) => api.list(agent, { ...page, ...filters }));
      }),
    );

  deployments
    .command('rollback')
    .description('undo a deployment: the one that it replaced becomes active again')
    .argument('<agent>', 'its name or id')
    .argument('[deployment]', 'the id of the deployment (default: the active one)')
    .option('--environment <name>', 'where to look for the active one', 'production')
    .addHelpText(
      'after',
      `
Examples:
  agent-hosting deployments rollback support-bot
  agent-hosting deployments rollback support-bot dep_01m3y05k78emssq98qb3vj6q8y`,
    )
    .action(run(rollBack));
}

async function create(
  { client, wait, output }: Context,
  { environment }: PlaceOptions,
  agent = '',
  version = '',
): Promise<void> {
  const { deployments: api } = await client();
  const made = await wait('Deploying', api.create(agent, { environment, version }));
  output.done(`${version} is active in ${environment} (${oneLine(made.id)}).`, made);
}

async function rollBack(
  { client, wait, output }: Context,
  { environment }: PlaceOptions,
  agent = '',
  id?: string,
): Promise<void> {
  const api = await client();
  const work = async () => {
    const undone = id ?? (await activeIn(api, agent, environment));
    return api.deployments.rollback(agent, undone);
  };
  const active = await wait('Rolling back', work());
  const sentence = `${active.version} is active in ${active.environment} again.`;
  output.done(oneLine(sentence), active);
}

async function activeIn(api: AgentHosting, agent: string, environment: string): Promise<string> {
  const { data } = await api.deployments.list(agent, { environment, status: 'active' }).page();
  const [active] = data;
  if (active) return active.id;
  throw new CommandFailure(`Nothing is active in ${environment}.`, exitCodes.conflict, [
    'Name the deployment, or another --environment.',
  ]);
}

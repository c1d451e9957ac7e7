/** `agent-hosting deployments`: deploys the configuration of an agent, and rolls it back. */
import { type Command, Option } from 'commander';
import type { AgentHosting, Deployment, DeploymentStatus } from '../../src/index.js';
import type { Context, Runner } from '../context.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { addListOptions, printList } from '../lists.js';
import { type Column, idColumn, statusColumn, timeColumn } from '../table.js';
import type { Style } from '../terminal.js';

const statusStyles: Record<DeploymentStatus, Style> = {
  active: 'green',
  superseded: 'dim',
  rolled_back: 'yellow',
};

const columns: Column<Deployment>[] = [
  { title: 'version', value: ({ version }) => version },
  { title: 'environment', value: ({ environment }) => environment },
  statusColumn(statusStyles),
  { title: 'model', value: ({ model }) => model, hideIfNarrow: true },
  timeColumn('activated', ({ activated_at }) => activated_at),
  idColumn,
];

interface ListOptions {
  limit: number;
  environment?: string;
  status?: DeploymentStatus;
}

interface ChangeOptions {
  environment: string;
  mfaCode?: string;
}

export function addDeploymentCommands(deployments: Command, run: Runner): void {
  deployments
    .command('create')
    .description('deploy the draft configuration under a version')
    .argument('<agent>', 'its name or id')
    .argument('<version>', 'a label that is new in the environment')
    .option('--environment <name>', 'where it becomes active', 'production')
    .option('--mfa-code <code>', 'a one-time code, if the agent requires one')
    .addHelpText(
      'after',
      `
Examples:
  agent-hosting deployments create support-bot 1.4.0
  agent-hosting deployments create support-bot "$(git rev-parse --short HEAD)" --environment staging`,
    )
    .action(run(create));

  addListOptions(
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
        await printList(context, limit, columns, (page) =>
          api.list(agent, { ...page, ...filters }),
        );
      }),
    );

  deployments
    .command('rollback')
    .description('undo a deployment: the previous one becomes active again')
    .argument('<agent>', 'its name or id')
    .argument('[deployment]', 'the id of the deployment (default: the active one)')
    .option('--environment <name>', 'the environment of the active one', 'production')
    .option('--mfa-code <code>', 'a one-time code, if the agent requires one')
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
  { client, withSpinner, output }: Context,
  { environment, mfaCode }: ChangeOptions,
  agent = '',
  version = '',
): Promise<void> {
  const { deployments: api } = await client();
  const work = api.create(agent, { environment, version }, { mfaCode });
  const created = await withSpinner('Deploying', work);
  output.result(`${version} is active in ${environment} (${created.id}).`, created);
}

async function rollBack(
  { client, withSpinner, output }: Context,
  { environment, mfaCode }: ChangeOptions,
  agent = '',
  id?: string,
): Promise<void> {
  const api = await client();
  const work = async () => {
    const deployment = id ?? (await findActive(api, agent, environment));
    return api.deployments.rollback(agent, deployment, { mfaCode });
  };
  const active = await withSpinner('Rolling back', work());
  output.result(`${active.version} is active in ${active.environment} again.`, active);
}

async function findActive(api: AgentHosting, agent: string, environment: string): Promise<string> {
  const { data } = await api.deployments.list(agent, { environment, status: 'active' }).page();
  const [active] = data;
  if (active) return active.id;
  throw new CommandError(`There is no active deployment in ${environment}.`, exitCodes.conflict, [
    'Name a deployment, or another --environment.',
  ]);
}

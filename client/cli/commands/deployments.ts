/** `agent-hosting deployments`: freeze a configuration, make it active, and go back. */
import type { Command } from 'commander';
import type { AgentHosting, Deployment, DeploymentStatus } from '../../src/index.js';
import type { Runner } from '../context.js';
import { CommandFailure, exitCodes } from '../exit-codes.js';
import { listOptions, taken } from '../lists.js';
import type { Column } from '../table.js';
import { seconds } from '../time.js';

const columns: Column<Deployment>[] = [
  { title: 'version', value: ({ version }) => version },
  { title: 'environment', value: ({ environment }) => environment },
  { title: 'status', value: ({ status }) => status },
  { title: 'model', value: ({ model }) => model },
  { title: 'activated', value: ({ activated_at }) => seconds(activated_at) },
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
    .addHelpText('after', '\nExample:\n  agent-hosting deployments create support-bot 1.4.0')
    .action(
      run(async ({ client, wait, output }, options: PlaceOptions, agent = '', version = '') => {
        const { environment } = options;
        const { deployments: api } = await client();
        const made = await wait('Deploying', api.create(agent, { environment, version }));
        output.done(`${version} is active in ${environment} (${made.id}).`, made);
      }),
    );

  listOptions(deployments.command('list').description('list the deployments of an agent'))
    .argument('<agent>', 'its name or id')
    .option('--environment <name>', 'only those in this environment')
    .option('--status <status>', 'only those with this status: active, superseded, rolled_back')
    .addHelpText('after', '\nExample:\n  agent-hosting deployments list support-bot')
    .action(
      run(async ({ client, wait, output }, { limit, ...filters }: ListOptions, agent = '') => {
        const { deployments: api } = await client();
        const rows = await wait('Reading deployments', taken(api.list(agent, filters), limit));
        output.list(rows, columns);
      }),
    );

  deployments
    .command('rollback')
    .description('undo a deployment: the one that it replaced becomes active again')
    .argument('<agent>', 'its name or id')
    .argument('[deployment]', 'the id of the deployment (default: the active one)')
    .option('--environment <name>', 'where to look for the active one', 'production')
    .addHelpText('after', '\nExample:\n  agent-hosting deployments rollback support-bot')
    .action(
      run(
        async (
          { client, wait, output },
          { environment }: PlaceOptions,
          agent = '',
          id?: string,
        ) => {
          const api = await client();
          const undone = id ?? (await activeIn(api, agent, environment));
          const active = await wait('Rolling back', api.deployments.rollback(agent, undone));
          output.done(`${active.version} is active in ${active.environment} again.`, active);
        },
      ),
    );
}

async function activeIn(api: AgentHosting, agent: string, environment: string): Promise<string> {
  const { data } = await api.deployments.list(agent, { environment, status: 'active' }).page();
  const [active] = data;
  if (active) return active.id;
  throw new CommandFailure(
    `Nothing is active in ${environment}; name the deployment, or another --environment.`,
    exitCodes.conflict,
  );
}

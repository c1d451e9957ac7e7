/** `agent-hosting keys`: creates, lists, rotates and revokes API keys. */
import { type Command, Option } from 'commander';
import { permissions as allPermissions } from '../../src/generated/service.js';
import type { ApiKey, ApiKeyRequest, Permission } from '../../src/index.js';
import { agentColumn } from '../agent-names.js';
import type { Context, Runner } from '../context.js';
import { findKey, warnIfInUse } from '../find-key.js';
import { addListOptions, printList } from '../lists.js';
import { listParser } from '../option-parsers.js';
import { confirm } from '../prompt.js';
import { type Column, idColumn, timeColumn } from '../table.js';
import { parseDuration, timestampFromNow } from '../time.js';
import { printNewKey } from './new-key.js';
import { addRotateCommand } from './rotate.js';

const roles: Record<string, Permission[]> = {
  admin: allPermissions,
  developer: ['read', 'write'],
  viewer: ['read'],
};

interface CreateOptions {
  name: string;
  agent?: string;
  permissions?: Permission[];
  role?: string;
  expires?: number;
}

export function addKeyCommands(keys: Command, run: Runner): void {
  keys
    .command('create')
    .description('create a key, and print it; it is shown only once')
    .requiredOption('--name <name>', 'what it is for')
    .option('--agent <agent>', 'limit it to this agent, by name or id')
    .addOption(
      new Option('--permissions <list>', `some of ${allPermissions.join(', ')}`)
        .argParser(listParser(allPermissions))
        .conflicts('role'),
    )
    .addOption(
      new Option('--role <role>', 'the permissions of a role (default: viewer)').choices(
        Object.keys(roles),
      ),
    )
    .option('--expires <duration>', 'how long it works, such as 30d', parseDuration)
    .addHelpText(
      'after',
      `
Only the key itself goes to standard output.

Examples:
  agent-hosting keys create --name "Help desk" --role developer --agent support-bot
  agent-hosting keys create --name CI --permissions read,write --expires 30d > key.txt`,
    )
    .action(run(create));

  addListOptions(keys.command('list').description('list the keys, newest first'))
    .option('--agent <agent>', 'only those limited to this agent')
    .addHelpText('after', '\nExample:\n  agent-hosting keys list')
    .action(
      run(async (context, { limit, agent }: { limit: number; agent?: string }) => {
        const client = await context.client();
        const filter = agent === undefined ? {} : { agent_id: agent };
        await printList(
          context,
          limit,
          async (rows: ApiKey[]) => createColumns(await agentColumn(client, rows)),
          (page) => client.keys.list({ ...page, ...filter }),
        );
      }),
    );

  addRotateCommand(keys, run);

  keys
    .command('revoke')
    .description('revoke a key; it stops working within a second, and this cannot be undone')
    .argument('<id>', 'the id of the key, as keys list shows it')
    .option('--yes', 'skip the confirmation')
    .addHelpText('after', '\nExample:\n  agent-hosting keys revoke key_01m3v7xjz0etnv3twffmsrhx7s')
    .action(run(revoke));
}

function createColumns(agent: Column<ApiKey>): Column<ApiKey>[] {
  return [
    { title: 'name', value: ({ name }) => name },
    {
      title: 'permissions',
      value: ({ permissions }) =>
        allPermissions.filter((permission) => permissions.includes(permission)).join(','),
    },
    agent,
    { title: 'key', value: ({ preview }) => preview, neverTruncate: true, hideIfNarrow: true },
    timeColumn('last used', ({ last_used_at }) => last_used_at),
    {
      ...timeColumn('ends', ({ expires_at }) => expires_at),
      style: ({ expires_at }) => (expires_at === null ? undefined : 'yellow'),
    },
    idColumn,
  ];
}

async function create(
  { client, withSpinner, output }: Context,
  options: CreateOptions,
): Promise<void> {
  const { name, agent, expires, role = 'viewer' } = options;
  const request: ApiKeyRequest = {
    name,
    permissions: options.permissions ?? roles[role] ?? ['read'],
    ...(agent !== undefined && { agent_id: agent }),
    ...(expires !== undefined && { expires_at: timestampFromNow(expires) }),
  };
  const { keys: api } = await client();
  const created = await withSpinner('Creating a key', api.create(request));
  printNewKey(output, created);
}

async function revoke(context: Context, { yes }: { yes?: boolean }, id = ''): Promise<void> {
  const { keys } = await context.client();
  const key = await findKey(context, id);
  await warnIfInUse(context, key);
  await confirm(context.terminal, `Revoke the key '${key.name}' (${key.preview})?`, yes);
  const revocation = await context.withSpinner('Revoking', keys.revoke(id));
  context.output.result(`${id} no longer works.`, revocation);
}

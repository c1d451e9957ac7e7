/** `agent-hosting keys`: make, list, rotate and end API keys. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ApiKey, ApiKeyRequest, Permission } from '../../src/index.js';
import type { Context, Runner } from '../context.js';
import { listOptions, taken } from '../lists.js';
import { addRotateCommand } from '../rotate.js';
import type { Column } from '../table.js';
import { duration, seconds } from '../time.js';

const every: Permission[] = ['read', 'write', 'delete', 'manage'];

const roles: Record<string, Permission[]> = {
  admin: every,
  developer: ['read', 'write'],
  viewer: ['read'],
};

const columns: Column<ApiKey>[] = [
  { title: 'name', value: ({ name }) => name },
  { title: 'permissions', value: ({ permissions }) => permissions.join(',') },
  { title: 'agent', value: ({ agent_id }) => agent_id ?? 'all' },
  { title: 'key', value: ({ preview }) => preview },
  { title: 'last used', value: ({ last_used_at }) => seconds(last_used_at) },
  { title: 'expires', value: ({ expires_at }) => seconds(expires_at) },
  { title: 'id', value: ({ id }) => id, isWhole: true },
];

interface CreateOptions {
  name: string;
  agent?: string;
  permissions?: Permission[];
  role?: string;
  expires?: number;
}

export function addKeyCommands(program: Command, run: Runner): void {
  const keys = program.command('keys').description('make, list, rotate and end API keys');

  keys
    .command('create')
    .description('make a key, and print it this once')
    .requiredOption('--name <name>', 'what it is for')
    .option('--agent <agent>', 'the one agent, by name or id, that it is good for')
    .addOption(
      new Option('--permissions <list>', `some of ${every.join(', ')}`)
        .argParser(permissionList)
        .conflicts('role'),
    )
    .addOption(
      new Option('--role <role>', 'permissions by the name of a role').choices(Object.keys(roles)),
    )
    .option('--expires <duration>', 'how long it works, such as 30d', duration)
    .addHelpText(
      'after',
      '\nExample:\n  agent-hosting keys create --name "Help desk" --role developer --agent support-bot',
    )
    .action(
      run(async ({ client, wait, output }, options: CreateOptions) => {
        const { name, agent, expires } = options;
        const request: ApiKeyRequest = {
          name,
          permissions: options.permissions ?? roles[options.role ?? 'viewer'] ?? ['read'],
          ...(agent !== undefined && { agent_id: agent }),
          ...(expires !== undefined && { expires_at: fromNow(expires) }),
        };
        const { keys: api } = await client();
        const made = await wait('Making a key', api.create(request));
        output.note(`Keep it: it is shown this once. Its id is ${made.id}.`);
        output.done(made.key, made);
      }),
    );

  listOptions(keys.command('list').description('list the keys, newest first'))
    .option('--agent <agent>', 'only those limited to this agent')
    .addHelpText('after', '\nExample:\n  agent-hosting keys list')
    .action(
      run(async (context, { limit, agent }: { limit: number; agent?: string }) => {
        const { keys: api } = await context.client();
        const pages = api.list(agent === undefined ? {} : { agent_id: agent });
        context.output.list(await context.wait('Reading keys', taken(pages, limit)), columns);
      }),
    );

  addRotateCommand(keys, run);

  keys
    .command('revoke')
    .description('end a key for good; it stops working within a second')
    .argument('<id>', 'the id of the key, as keys list shows it')
    .addHelpText('after', '\nExample:\n  agent-hosting keys revoke key_01m3v7xjz0etnv3twffmsrhx7s')
    .action(run(revoke));
}

async function revoke(context: Context, _options: object, id = ''): Promise<void> {
  const { keys } = await context.client();
  const revocation = await context.wait('Revoking', keys.revoke(id));
  context.output.done(`${id} no longer works.`, revocation);
}

function fromNow(milliseconds: number): string {
  return new Date(Date.now() + milliseconds).toISOString();
}

function permissionList(text: string): Permission[] {
  const names = text.split(',').map((name) => name.trim());
  const known = every.filter((permission) => names.includes(permission));
  const unknown = names.find((name) => !known.some((permission) => permission === name));
  if (unknown === undefined) return known;
  throw new InvalidArgumentError(`'${unknown}' is none of ${every.join(', ')}.`);
}

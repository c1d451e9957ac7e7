/** `agent-hosting keys`: make, list, rotate and end API keys. */
import { type Command, Option } from 'commander';
import type { ApiKey, ApiKeyRequest, Permission } from '../../src/index.js';
import { someOf } from '../choices.js';
import type { Context, Runner } from '../context.js';
import { endDueKeys, forgetEnding, readEndings } from '../endings.js';
import { listOptions, showList } from '../lists.js';
import type { Column } from '../table.js';
import { distance, duration, fromNow, seconds } from '../time.js';
import { addRotateCommand } from './rotate.js';

const every: Permission[] = ['read', 'write', 'delete', 'manage'];

const roles: Record<string, Permission[]> = {
  admin: every,
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

export function addKeyCommands(program: Command, runPlainly: Runner): void {
  /** Each of these commands also ends the keys whose grace is over. */
  const run: Runner = (action) =>
    runPlainly(async (context, options: never, ...args) => {
      await action(context, options, ...args);
      await endDueKeys(context);
    });
  const keys = program.command('keys').description('make, list, rotate and end API keys');

  keys
    .command('create')
    .description('make a key, and print it this once')
    .requiredOption('--name <name>', 'what it is for')
    .option('--agent <agent>', 'the one agent, by name or id, that it is good for')
    .addOption(
      new Option('--permissions <list>', `some of ${every.join(', ')}`)
        .argParser(someOf(every))
        .conflicts('role'),
    )
    .addOption(
      new Option(
        '--role <role>',
        'permissions by the name of a role; viewer unless said otherwise',
      ).choices(Object.keys(roles)),
    )
    .option('--expires <duration>', 'how long it works, such as 30d', duration)
    .addHelpText(
      'after',
      `
Only the key itself goes to standard output.

Examples:
  agent-hosting keys create --name "Help desk" --role developer --agent support-bot
  agent-hosting keys create --name CI --permissions read,write --expires 30d > key.txt`,
    )
    .action(run(create));

  listOptions(keys.command('list').description('list the keys, newest first'))
    .option('--agent <agent>', 'only those limited to this agent')
    .addHelpText('after', '\nExample:\n  agent-hosting keys list')
    .action(
      run(async (context, { limit, agent }: { limit: number; agent?: string }) => {
        const { client, baseUrl } = await context.connection();
        const filter = agent === undefined ? {} : { agent_id: agent };
        const columns = columnsWith(await readEndings(baseUrl));
        await showList(context, limit, columns, (page) => client.keys.list({ ...page, ...filter }));
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

/** What is to end by a rotation ends before it expires. */
function columnsWith(endings: Map<string, string>): Column<ApiKey>[] {
  const end = ({ id, expires_at }: ApiKey) => endings.get(id) ?? expires_at;
  return [
    { title: 'name', value: ({ name }) => name },
    {
      title: 'permissions',
      value: ({ permissions }) => every.filter((one) => permissions.includes(one)).join(','),
    },
    { title: 'agent', value: ({ agent_id }) => agent_id ?? 'all' },
    { title: 'key', value: ({ preview }) => preview, isWhole: true, isMinor: true },
    {
      title: 'last used',
      value: ({ last_used_at }) => seconds(last_used_at),
      brief: ({ last_used_at }) => distance(last_used_at),
    },
    {
      title: 'ends',
      value: (key) => seconds(end(key)),
      brief: (key) => distance(end(key)),
      style: (key) => (end(key) === null ? undefined : 'yellow'),
    },
    { title: 'id', value: ({ id }) => id, isWhole: true },
  ];
}

async function create({ client, wait, output }: Context, options: CreateOptions): Promise<void> {
  const { name, agent, expires, role = 'viewer' } = options;
  const request: ApiKeyRequest = {
    name,
    permissions: options.permissions ?? roles[role] ?? ['read'],
    ...(agent !== undefined && { agent_id: agent }),
    ...(expires !== undefined && { expires_at: fromNow(expires) }),
  };
  const { keys: api } = await client();
  const made = await wait('Making a key', api.create(request));
  output.note(`Keep it: it is shown this once. Its id is ${made.id}.`);
  output.done(made.key, made);
}

async function revoke(context: Context, _options: object, id = ''): Promise<void> {
  const { keys } = await context.client();
  const revocation = await context.wait('Revoking', keys.revoke(id));
  await forgetEnding(id);
  context.output.done(`${id} no longer works.`, revocation);
}

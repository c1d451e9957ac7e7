/** `operator keys`: the API keys of an account. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { idColumn } from '../../client/cli/table.js';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import type { Permission } from '../../generated/api.js';
import { constraints, errorMessages } from '../../generated/constraints.js';
import { commandLine } from '../contract/command-line.js';
import { accountArguments } from '../accounts/accounts.js';
import type { Caller } from '../accounts/caller.js';
import { authorizeKey, issueKey, listKeys, rotateKey } from '../keys/keys.js';
import { isRole, roles } from '../keys/roles.js';
import { parseDuration } from '../lib/time/duration.js';
import { currentTime } from '../lib/time/clock.js';
import { everyPermission, isPermission } from '../contract/permissions.js';
import { isPrintable } from '../lib/text/printable.js';
import { presentKey } from '../keys/operations.js';
import type { Database } from '../postgres/database.js';
import { confirm } from './confirm.js';
import type { Run } from './context.js';
import { dateColumn } from './output.js';
import { CommandFailure } from './failure.js';
import { findKeyToRevoke, revoke } from './revoke-key.js';

export function addKeyCommands(keys: Command, run: Run): void {
  keys
    .command('create')
    .description('create a key, and print it once')
    .requiredOption('--name <name>', 'what the key is for', parseName)
    .option('--agent <agent>', 'restrict the key to one agent, by id or name')
    .addOption(
      new Option('--permissions <list>', `some of ${everyPermission.join(', ')}`)
        .argParser(parsePermissions)
        .conflicts('role'),
    )
    .addOption(new Option('--role <role>', 'permissions of a role').choices(Object.keys(roles)))
    .option('--expires <duration>', 'lifetime, such as 30d', parseDurationOption)
    .action(
      (options: {
        name: string;
        agent?: string;
        permissions?: Permission[];
        role?: string;
        expires?: number;
      }) => {
        const permissions = options.permissions ?? permissionsOfRole(options.role);
        return run(async ({ database, secrets, caller, output }) => {
          const input = await authorizeKey(database, await caller(), {
            name: options.name,
            permissions,
            agent_id: options.agent ?? null,
            expires_at:
              options.expires === undefined
                ? null
                : new Date(currentTime() + options.expires).toISOString(),
          });
          const { record, key } = await issueKey(database, secrets, input);
          output.done(key, { ...presentKey(record), key }, [
            `Store it now: it is shown only once. Its id is ${record.id}.`,
          ]);
        });
      },
    );

  keys
    .command('list')
    .description('list the keys of the account, newest first')
    .option('--agent <agent>', 'only keys of this agent')
    .action(({ agent }: { agent?: string }) =>
      run(async ({ database, reader, output }) => {
        const { items } = await listKeys(database, await reader(), {
          agent,
          sort: '-created_at',
          limit: 1_000_000,
          offset: 0,
        });
        output.table(
          items,
          [
            idColumn,
            { title: 'name', value: ({ name }) => name },
            {
              title: 'permissions',
              value: ({ permissions }) => permissions.join(','),
              hideIfNarrow: true,
            },
            { title: 'agent', value: ({ agentId }) => agentId ?? 'all' },
            { title: 'key', value: ({ preview }) => preview, neverTruncate: true },
            dateColumn('last used', ({ lastUsedAt }) => lastUsedAt, 'never'),
            dateColumn('expires', ({ expiresAt }) => expiresAt, 'never'),
          ],
          presentKey,
        );
      }),
    );

  keys
    .command('rotate')
    .description('replace a key with a new one')
    .argument('<id>', 'id of the key to replace')
    .option(
      '--grace <duration>',
      'how long the old key still works, such as 24h',
      parseDurationOption,
      0,
    )
    .option('--yes', 'do not ask for confirmation', false)
    .action((id: string, options: { grace: number; yes: boolean }) =>
      run(async ({ database, secrets, caller, output }) => {
        const operator = await caller();
        if (options.grace === 0) {
          await confirm(`Replace ${await describeKey(database, operator, id)} at once?`, options);
        }
        const { record, key, until } = await rotateKey({ database, secrets }, operator, {
          id,
          gracePeriodMs: options.grace,
        });
        const old = until ? `works until ${until.toISOString()}` : 'no longer works';
        output.done(
          key,
          {
            ...presentKey(record),
            key,
            replaces: { id, works_until: until?.toISOString() ?? null },
          },
          [`Store it now: it is shown only once. Its id is ${record.id}; ${id} ${old}.`],
        );
      }),
    );

  keys
    .command('revoke')
    .description('revoke a key; it stops working within a second')
    .argument('<key>', 'id of the key, or the whole key; - reads it from standard input')
    .option('--with-created', 'also end the keys and webhooks that were created with it', false)
    .option('--yes', 'do not ask for confirmation', false)
    .action((key: string, options: { withCreated: boolean; yes: boolean }) =>
      run(async (context) => {
        const found = await findKeyToRevoke(context, key, options);
        if (found) await revoke(context, found, options);
        else throw await keyNotFound(context.database, await context.caller(), key);
      }),
    );
}

/** For confirmation prompts, where an id alone says too little. Throws if there is no such key. */
async function describeKey(database: Database, operator: Caller, id: string): Promise<string> {
  const all = { agent: undefined, sort: '-created_at', limit: 1_000_000, offset: 0 } as const;
  const { items } = await listKeys(database, operator, all);
  const found = items.find((key) => key.id === id);
  if (!found) throw await keyNotFound(database, operator, id);
  const { name, preview, lastUsedAt } = found;
  return `'${name}' (${preview}, last used ${lastUsedAt?.toISOString() ?? 'never'})`;
}

async function keyNotFound(
  database: Database,
  { accountId }: Caller,
  id: string,
): Promise<CommandFailure> {
  const inAccount = await accountArguments(database, accountId);
  const message = `There is no key '${id}'. See: ${commandLine('keys', 'list', ...inAccount)}`;
  return new CommandFailure(message, [], exitCodes.notFound);
}

/** There is no default: a key for one agent's messages must not administer the account because an option was forgotten. */
function permissionsOfRole(role: string | undefined): Permission[] {
  if (role !== undefined && isRole(role)) return [...roles[role]];
  throw new CommandFailure(
    'Say what the key may do, with --role or --permissions:',
    Object.entries(roles).map(
      ([name, permissions]) => `  --role ${name.padEnd(9)}  ${permissions.join(', ')}`,
    ),
    exitCodes.usage,
  );
}

/** Applies the contract's rules for the name in Create API Key. */
function parseName(name: string): string {
  const { minLength, maxLength } = constraints.KeyName;
  if (!isPrintable(name)) {
    const { pattern } = constraints.PrintableText;
    throw new InvalidArgumentError(`It ${errorMessages.pattern[pattern] ?? 'is not printable'}.`);
  }
  const { length } = Array.from(name);
  if (length >= minLength && length <= maxLength) return name;
  throw new InvalidArgumentError(`It must have ${minLength} to ${maxLength} characters.`);
}

function parsePermissions(text: string): Permission[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !isPermission(name));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`'${unknown}' is not one of ${everyPermission.join(', ')}.`);
  }
  return [...new Set(names.filter(isPermission))];
}

function parseDurationOption(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) {
    throw new InvalidArgumentError('Write a number and a unit: 90s, 15m, 24h, 30d.');
  }
  return milliseconds;
}

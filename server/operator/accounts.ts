/** `operator accounts`: the tenants and their tiers. */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { idColumn } from '../../client/cli/table.js';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import {
  createAccount,
  listAccounts,
  setBudget,
  setCap,
  setTier,
  type StoredAccount,
} from '../accounts/accounts.js';
import { type CapName, capNames, type Tier, tierNames } from '../accounts/tiers.js';
import type { Run } from './context.js';
import { dateColumn } from './output.js';
import { CommandFailure } from './failure.js';

const json = ({ id, name, tier, caps, budget, createdAt }: StoredAccount) => ({
  id,
  name,
  tier,
  caps,
  budget,
  created_at: createdAt.toISOString(),
});

export function addAccountCommands(accounts: Command, run: Run): void {
  accounts
    .command('create')
    .description('create an account')
    .argument('<name>', 'name of the account')
    .addOption(
      new Option('--tier <tier>', 'tier, which sets the limits').choices(tierNames).default('free'),
    )
    .action((name: string, { tier }: { tier: Tier }) =>
      run(async ({ database, output }) => {
        const account = await createAccount(database, { name, tier });
        output.done(`Account '${name}' (${account.id}) created, tier ${tier}.`, json(account));
      }),
    );

  accounts
    .command('list')
    .description('list the accounts, oldest first')
    .action(() =>
      run(async ({ database, output }) => {
        output.table(
          await listAccounts(database),
          [
            { title: 'name', value: ({ name }) => name, neverTruncate: true },
            { title: 'tier', value: ({ tier }) => tier },
            { title: 'caps', value: ({ caps }) => describeCaps(caps) || '–' },
            { title: 'budget', value: ({ budget }) => describeBudget(budget) },
            idColumn,
            dateColumn('created', ({ createdAt }) => createdAt),
          ],
          json,
        );
      }),
    );

  accounts
    .command('set-tier')
    .description('change the tier of an account; takes effect within a second')
    .argument('<name>', 'name of the account')
    .addArgument(new Argument('<tier>', 'the new tier').choices(tierNames))
    .action((name: string, tier: Tier) =>
      run(async ({ database, output }) => {
        const account = await setTier(database, name, tier);
        output.done(`Account '${name}' now has tier ${tier}.`, json(account));
      }),
    );

  accounts
    .command('set-cap')
    .description("override one limit of an account's tier; takes effect within a second")
    .argument('<name>', 'name of the account')
    .addArgument(new Argument('<cap>', 'what to limit').choices(capNames))
    .argument('<value>', "a number, 'unlimited', or 'default' for the limit of the tier", parseCap)
    .action((name: string, cap: CapName, { value }: CapValue) =>
      run(async ({ database, output }) => {
        const account = await setCap(database, name, cap, value);
        const caps = describeCaps(account.caps) || `those of its tier, ${account.tier}`;
        output.done(`Caps of account '${name}': ${caps}.`, json(account));
      }),
    );

  accounts
    .command('set-budget')
    .description('limit the tokens that an account may use; takes effect within a second')
    .argument('<name>', 'name of the account')
    .option('--tokens <count>', 'number of tokens, input and output together', parseTokens)
    .option('--window <length>', 'length of the period, from 1m to 31d, such as 1d')
    .option('--none', 'remove the budget')
    .action((name: string, options: BudgetOptions) =>
      run(async ({ database, output }) => {
        const account = await setBudget(database, name, budgetOf(options));
        const budget = describeBudget(account.budget, 'none');
        output.done(`Budget of account '${name}': ${budget}.`, json(account));
      }),
    );
}

interface BudgetOptions {
  tokens?: number;
  window?: string;
  none?: true;
}

function budgetOf({ tokens, window, none }: BudgetOptions): StoredAccount['budget'] {
  if (none && tokens === undefined && window === undefined) return null;
  if (none || tokens === undefined || window === undefined) {
    throw new CommandFailure(
      'Pass --tokens and --window, such as --tokens 2000000 --window 1d, or --none.',
      [],
      exitCodes.usage,
    );
  }
  return { tokens, window };
}

function parseTokens(text: string): number {
  const tokens = /^\d{1,13}$/.test(text) ? Number(text) : 0;
  if (tokens >= 1 && tokens <= 1e12) return tokens;
  throw new InvalidArgumentError('Use a number from 1 to 1000000000000.');
}

function describeBudget(budget: StoredAccount['budget'], none = '–'): string {
  return budget ? `${budget.tokens} tokens in ${budget.window}` : none;
}

function describeCaps(caps: StoredAccount['caps']): string {
  return Object.entries(caps)
    .map(([cap, value]) => `${cap} ${value ?? 'unlimited'}`)
    .join(', ');
}

/** In an object, because commander takes a parsed null or undefined for an argument that was left out. */
interface CapValue {
  value: number | null | undefined;
}

function parseCap(text: string): CapValue {
  if (text === 'default') return { value: undefined };
  if (text === 'unlimited') return { value: null };
  if (/^\d{1,15}$/.test(text)) return { value: Number(text) };
  throw new InvalidArgumentError("Use a whole number, 'unlimited' or 'default'.");
}

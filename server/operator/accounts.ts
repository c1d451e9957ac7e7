/** `operator accounts`: who the tenants are, and how much each may do. */
import { Argument, type Command, Option } from 'commander';
import { createAccount, listAccounts, setTier, type StoredAccount } from '../domain/accounts.js';
import { type Tier, tierNames } from '../lib/tiers.js';
import type { Run } from './context.js';

const json = ({ id, name, tier, createdAt }: StoredAccount) => ({
  id,
  name,
  tier,
  created_at: createdAt.toISOString(),
});

export function addAccountCommands(operator: Command, run: Run): void {
  const accounts = operator.command('accounts').description('the tenants of this installation');

  accounts
    .command('create')
    .description('make an account')
    .argument('<name>', 'its name')
    .addOption(
      new Option('--tier <tier>', 'how many requests it may make')
        .choices(tierNames)
        .default('free'),
    )
    .action((name: string, { tier }: { tier: Tier }) =>
      run(async ({ database, output }) => {
        const account = await createAccount(database, { name, tier });
        output.done(`Made account '${name}' (${account.id}), tier ${tier}.`, json(account));
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
            { title: 'name', value: ({ name }) => name },
            { title: 'tier', value: ({ tier }) => tier },
            { title: 'id', value: ({ id }) => id },
            { title: 'created', value: ({ createdAt }) => createdAt.toISOString() },
          ],
          json,
        );
      }),
    );

  accounts
    .command('set-tier')
    .description('change the tier of an account; it counts within a second')
    .argument('<name>', 'the account')
    .addArgument(new Argument('<tier>', 'its new tier').choices(tierNames))
    .action((name: string, tier: Tier) =>
      run(async ({ database, output }) => {
        const account = await setTier(database, name, tier);
        output.done(`Account '${name}' has tier ${tier} now.`, json(account));
      }),
    );
}

/** `operator accounts`: the tenants and their tiers. */
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
    .description('create an account')
    .argument('<name>', 'name of the account')
    .addOption(
      new Option('--tier <tier>', 'tier, which sets the rate limit')
        .choices(tierNames)
        .default('free'),
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
    .description('change the tier of an account; takes effect within a second')
    .argument('<name>', 'name of the account')
    .addArgument(new Argument('<tier>', 'the new tier').choices(tierNames))
    .action((name: string, tier: Tier) =>
      run(async ({ database, output }) => {
        const account = await setTier(database, name, tier);
        output.done(`Account '${name}' now has tier ${tier}.`, json(account));
      }),
    );
}

/** `operator completion`: prints the completion script for a shell, as the client's command line does. */
import { Argument, type Command } from 'commander';
import { agentNamesCommand } from '../../client/cli/completion/command-tree.js';
import { completedShells, completionScript } from '../../client/cli/completion/scripts.js';
import type { Run } from './context.js';

/** Completing agent names requires the account. */
const connectionFlags = ['--account'];

/** `loadGroups` loads the commands of all groups, since the script lists them. */
export function addCompletionCommands(
  operator: Command,
  run: Run,
  loadGroups: () => Promise<unknown>,
): void {
  operator
    .command('completion')
    .description('print the script that makes a shell complete commands, options and agents')
    .addArgument(new Argument('<shell>', 'which shell').choices(completedShells))
    .addHelpText(
      'after',
      `
The shell must know the command operator, for example as a function:
  operator() { npm run --silent --prefix ~/agent-hosting-service operator -- "$@"; }

For this shell alone:
  source <(operator completion bash)`,
    )
    .action(async (shell: string) => {
      await loadGroups();
      operator.configureOutput().writeOut?.(completionScript(shell, operator, connectionFlags));
    });

  operator.command(agentNamesCommand, { hidden: true }).action(() =>
    run(async ({ database, reader, output }) => {
      const { listAgents } = await import('../domain/agents/agents.js');
      const { items } = await listAgents(database, await reader(), {
        status: undefined,
        name: undefined,
        sort: 'name',
        limit: 1_000_000,
        offset: 0,
      });
      const names = items.map(({ name }) => name);
      output.done(names, names);
    }),
  );
}

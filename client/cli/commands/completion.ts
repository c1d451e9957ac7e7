/** `agent-hosting completion`: prints the completion script of a shell. */
import { Argument, type Command } from 'commander';
import { bashCompletion } from '../completion/bash.js';
import { pageSize } from '../../src/generated/service.js';
import { agentNamesCommand, commandTree } from '../completion/command-tree.js';
import { fishCompletion } from '../completion/fish.js';
import { zshCompletion } from '../completion/zsh.js';
import type { Context, Runner } from '../context.js';

const shells = new Map([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
]);

export function addCompletionCommand(program: Command, run: Runner): void {
  program
    .command('completion')
    .description('print the script that makes a shell complete commands, options and agents')
    .addArgument(new Argument('<shell>', 'which shell').choices([...shells.keys()]))
    .addHelpText(
      'after',
      `
Examples:
  agent-hosting completion bash > ~/.local/share/bash-completion/completions/agent-hosting
  agent-hosting completion zsh > "\${fpath[1]}/_agent-hosting"
  agent-hosting completion fish > ~/.config/fish/completions/agent-hosting.fish

For this shell alone:
  source <(agent-hosting completion bash)`,
    )
    .action(
      run(({ terminal }, _options, shell = '') => {
        const script = shells.get(shell)?.(program.name(), commandTree(program)) ?? '';
        terminal.print(...script.trimEnd().split('\n'));
      }),
    );

  program.command(agentNamesCommand, { hidden: true }).action(run(printAgentNames));
}

/** A shell waits for the names while somebody types, so they come soon or not at all. */
const namesTimeoutMs = 3_000;

/**
 * Shells expand what they are suggested, and bash would execute `$(…)` in it: nothing but what the contract calls a name
 * is printed, whatever the service sends. Errors are not: they would end up between what is typed.
 */
async function printAgentNames({ client, terminal }: Context): Promise<void> {
  const names: string[] = [];
  try {
    const { agents } = await client();
    const signal = AbortSignal.timeout(namesTimeoutMs);
    const options = { signal, maxRetries: 0 };
    for await (const { name } of agents.list({ sort: 'name', limit: pageSize }, options)) {
      if (/^[a-z][a-z0-9-]{0,62}$/.test(name)) names.push(name);
    }
  } catch {
    // Those that were read until then are better than none.
  }
  terminal.print(...names);
}

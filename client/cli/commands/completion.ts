/** `agent-hosting completion`: prints the completion script of a shell. */
import { Argument, type Command } from 'commander';
import { bashCompletion } from '../completion/bash.js';
import { commandTree } from '../completion/command-tree.js';
import { fishCompletion } from '../completion/fish.js';
import { zshCompletion } from '../completion/zsh.js';
import type { Runner } from '../context.js';

const shells = new Map([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
]);

export function defineCompletion(command: Command, run: Runner): void {
  command
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
        const program = command.parent ?? command;
        const script = shells.get(shell)?.(program.name(), commandTree(program)) ?? '';
        terminal.print(...script.trimEnd().split('\n'));
      }),
    );
}

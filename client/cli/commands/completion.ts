/** `agent-hosting completion`: prints the completion script of a shell. */
import { Argument, type Command } from 'commander';
import { completedShells, completionScript } from '../completion/scripts.js';
import type { Runner } from '../context.js';

const connectionFlags = ['--profile', '--base-url'];

export function defineCompletion(command: Command, run: Runner): void {
  command
    .addArgument(new Argument('<shell>', 'which shell').choices(completedShells))
    .addHelpText(
      'after',
      `
Examples:
  agent-hosting completion bash > ~/.local/share/bash-completion/completions/agent-hosting
  agent-hosting completion zsh > "\${fpath[1]}/_agent-hosting"
  agent-hosting completion fish > ~/.config/fish/completions/agent-hosting.fish

For the current shell only:
  source <(agent-hosting completion bash)`,
    )
    .action(
      run(({ terminal }, _options, shell = '') => {
        const program = command.parent ?? command;
        const script = completionScript(shell, program, connectionFlags);
        terminal.print(...script.trimEnd().split('\n'));
      }),
    );
}

/** `agent-hosting completion`: what a shell needs to complete commands, options and their values. */
import { Argument, type Command } from 'commander';
import { bashCompletion } from '../completion/bash.js';
import { fishCompletion } from '../completion/fish.js';
import { placesOf } from '../completion/places.js';
import { zshCompletion } from '../completion/zsh.js';
import type { Runner } from '../context.js';

const shells = new Map([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
]);

export function addCompletionCommand(program: Command, run: Runner): void {
  program
    .command('completion')
    .description('print the script that makes a shell complete commands and options')
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
        const script = shells.get(shell)?.(program.name(), placesOf(program));
        terminal.write(script ?? '');
      }),
    );
}

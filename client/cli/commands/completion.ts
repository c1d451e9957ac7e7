/** `agent-hosting completion`: what a shell needs to complete commands and options. */
import { Argument, type Command } from 'commander';
import { bashCompletion, fishCompletion, zshCompletion } from '../completion-scripts.js';
import type { Runner } from '../context.js';

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** What can follow a command. */
export interface Choices {
  /** The words so far, after the name of the program. */
  path: string[];
  words: { word: string; description: string }[];
}

export function addCompletionCommand(program: Command, run: Runner): void {
  program
    .command('completion')
    .description('print the script that makes a shell complete commands and options')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(shells)))
    .addHelpText(
      'after',
      `
Examples:
  agent-hosting completion bash > ~/.local/share/bash-completion/completions/agent-hosting
  agent-hosting completion zsh > "\${fpath[1]}/_agent-hosting"
  agent-hosting completion fish > ~/.config/fish/completions/agent-hosting.fish`,
    )
    .action(
      run(async ({ terminal }, _options, shell = '') => {
        const choices = choicesOf(program, []);
        const script = isShell(shell) ? shells[shell](program.name(), choices) : '';
        terminal.write(script);
        await Promise.resolve();
      }),
    );
}

function isShell(shell: string): shell is keyof typeof shells {
  return shell in shells;
}

function choicesOf(command: Command, path: string[]): Choices[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const own: Choices = {
    path,
    words: [
      ...commands.map((one) => ({ word: one.name(), description: one.description() })),
      ...options.flatMap(({ long, description }) => (long ? [{ word: long, description }] : [])),
    ],
  };
  return [own, ...commands.flatMap((one) => choicesOf(one, [...path, one.name()]))];
}

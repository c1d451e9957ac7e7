/** Creates the commander program, with formatted help and errors. */
import { Command, Help } from 'commander';
import {
  type CommandName,
  commandNames,
  commands,
  type CommandSummary,
  completionCommand,
} from './commands.js';
import { exitCodeHelp } from './exit-codes.js';
import { wrapDefinition, wrapHelp, wrapWords } from './help-text.js';
import type { Line, Terminal } from './terminal.js';
import { padToWidth } from './text.js';

export interface Definitions {
  /** Adds arguments, options and the action, or subcommands, to a command. */
  define: (name: CommandName, command: Command) => void;
  /** Adds the commands for shell completion to a program that has all others. */
  addCompletion: (program: Command) => void;
}

/** Without definitions, the program can only print its own help. */
export function createProgram(
  terminal: Terminal,
  version: string,
  definitions?: Definitions,
): Command {
  const program = new Command('agent-hosting')
    .description('Work with the agents of an Agent Hosting Service.')
    .version(version, '-V, --version', 'print the version')
    .option('--json', 'print JSON, as the API returns it')
    .option('--raw', 'print replies unchanged, with characters that control a terminal')
    .option('--profile <name>', 'use the service and key that are saved under this name')
    .option('--base-url <url>', 'the URL of the service')
    .addHelpText('after', `\n${programHelp}`);

  const terms = new Map<Command, string>();
  for (const name of commandNames) {
    const { description, synopsis }: CommandSummary = commands[name];
    const command = program.command(name).description(description);
    if (definitions) definitions.define(name, command);
    else if (synopsis !== undefined) terms.set(command, `${name} ${synopsis}`);
  }
  if (definitions) definitions.addCompletion(program);
  else program.command(`${completionCommand} <shell>`);
  program.commands
    .find((command) => command.name() === completionCommand)
    ?.description('print the script that makes a shell complete commands, options and values')
    .addHelpText('after', completionHelp);
  configure(program, terminal, terms, []);
  return program;
}

const defaultHelp = new Help();

/** Configures the help and the errors of a command and its subcommands. */
function configure(
  command: Command,
  terminal: Terminal,
  terms: ReadonlyMap<Command, string>,
  parents: string[],
): void {
  const path = [...parents, command.name()];
  command
    .helpOption('-h, --help', 'show this help')
    .showHelpAfterError(`Run ${path.join(' ')} --help for its usage.`)
    .showSuggestionAfterError()
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: 20,
      formatItem,
      subcommandTerm: (subcommand) =>
        terms.get(subcommand) ?? defaultHelp.subcommandTerm(subcommand),
    })
    .configureOutput({
      writeOut: (text) => {
        terminal.print(...formatHelp(text, terminal.columns));
      },
      writeErr: (text) => {
        terminal.note(...formatHelp(text, terminal.noteColumns));
      },
      getOutHelpWidth: () => terminal.columns ?? 100,
      getErrHelpWidth: () => terminal.noteColumns ?? 100,
    })
    .exitOverride();
  if (command.commands.length > 0)
    command.helpCommand('help [command]', 'show the help of a command');
  command.commands.forEach((subcommand) => {
    configure(subcommand, terminal, terms, path);
  });
}

function formatItem(term: string, termWidth: number, description: string, help: Help): string {
  if (description === '') return `  ${term}`;
  const paddedTerm = `  ${padToWidth(term, termWidth)}  `;
  return wrapDefinition(paddedTerm, description, help.helpWidth ?? 80).join('\n');
}

/**
 * Formats what commander writes: section titles in bold, and `error:` in red. Commander has wrapped everything but the
 * usage line and the text after the options, which begins with an empty line.
 */
function formatHelp(text: string, width: number | undefined): Line[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const [first = '', ...others] = lines;
  if (width === undefined) return lines.map(withTitle);
  if (first === '') return wrapHelp(lines.join('\n'), width).map(withTitle);
  const isUsage = first.startsWith('Usage:');
  const usage = isUsage ? wrapWords(first.split(' '), '', '  ', width) : [first];
  return [...usage, ...others].map(withTitle);
}

function withTitle(line: string): Line {
  const [title = ''] = /^(error|[A-Z]\w*( [A-Za-z]+)?):/.exec(line) ?? [];
  const style = title === 'error:' ? 'red' : 'bold';
  return [{ style, text: title }, line.slice(title.length)];
}

const completionHelp = `
Examples:
  agent-hosting completion bash > ~/.local/share/bash-completion/completions/agent-hosting
  agent-hosting completion zsh > "\${fpath[1]}/_agent-hosting"
  agent-hosting completion fish > ~/.config/fish/completions/agent-hosting.fish

For the current shell only (bash needs the package bash-completion):
  source <(agent-hosting completion bash)`;

const programHelp = `Examples:
  agent-hosting login
  agent-hosting chat support-bot
  agent-hosting agents invoke support-bot "Where is my order 5512?"
  agent-hosting deployments create support-bot 1.4.0
  agent-hosting logs support-bot --follow
  agent-hosting keys list --json

JSON:
  One document, an object or an array, with the field names of the API; chat,
  logs and webhooks listen print one object per line. Errors go to standard error:
  {"error": {"code", "message", "status", "details", "retry_after", "request_id"}}

Environment:
  AGENT_HOSTING_API_KEY   a key; overrides the current profile, but not --profile
  AGENT_HOSTING_BASE_URL  the URL of the service for that key
  AGENT_HOSTING_TOOL_AUTHORIZATION
                          the Authorization with which an agent's tools act for
                          you, in chat and agents invoke
  XDG_CONFIG_HOME         where profiles are kept (default: ~/.config)
  NO_COLOR, FORCE_COLOR   turn colours off or on

${exitCodeHelp}`;

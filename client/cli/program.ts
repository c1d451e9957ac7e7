/** The commander program with every command, its help and its examples. */
import { Command } from 'commander';
import { addAgentCommands } from './commands/agents.js';
import { addCompletionCommand } from './commands/completion.js';
import { addDeploymentCommands } from './commands/deployments.js';
import { addKeyCommands } from './commands/keys.js';
import { addLogCommand } from './commands/logs.js';
import { addMemoryCommands } from './commands/memory.js';
import { addMetricCommand } from './commands/metrics.js';
import { addProfileCommands } from './commands/profiles.js';
import { addWebhookCommands } from './commands/webhooks.js';
import type { Runner } from './context.js';
import { exitCodeHelp } from './exit-codes.js';
import type { Line, Terminal } from './terminal.js';

export function createProgram(run: Runner, terminal: Terminal, version: string): Command {
  const program = new Command('agent-hosting')
    .description('Work with the agents of an Agent Hosting Service.')
    .version(version, '-V, --version', 'print the version')
    .option('--json', 'print JSON, as the API gives it')
    .option('--profile <name>', 'use the service and key that are saved under this name')
    .option('--base-url <url>', 'the URL of the service')
    .addHelpText('after', `\n${programHelp}`);

  for (const add of [
    addProfileCommands,
    addAgentCommands,
    addDeploymentCommands,
    addLogCommand,
    addMetricCommand,
    addMemoryCommands,
    addWebhookCommands,
    addKeyCommands,
    addCompletionCommand,
  ]) {
    add(program, run);
  }
  configure(program, terminal, []);
  return program;
}

/** Configures the help and the errors of a command and of those below it. */
function configure(command: Command, terminal: Terminal, parents: string[]): void {
  const path = [...parents, command.name()];
  command
    .helpOption('-h, --help', 'show this help')
    .showHelpAfterError(`Run ${path.join(' ')} --help for its usage.`)
    .showSuggestionAfterError()
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: 20,
    })
    .configureOutput({
      writeOut: (text) => {
        terminal.print(...withTitles(text));
      },
      writeErr: (text) => {
        terminal.note(...withTitles(text));
      },
      getOutHelpWidth: () => terminal.columns ?? 100,
      getErrHelpWidth: () => terminal.noteColumns ?? 100,
    })
    .exitOverride();
  if (command.commands.length > 0)
    command.helpCommand('help [command]', 'show the help of a command');
  command.commands.forEach((subcommand) => {
    configure(subcommand, terminal, path);
  });
}

/** The lines of what commander writes, with the titles of sections in bold and the word `error:` in red. */
function withTitles(text: string): Line[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const [title = ''] = /^(error|[A-Z]\w*( [A-Za-z]+)?):/.exec(line) ?? [];
      const style = title === 'error:' ? 'red' : 'bold';
      return [{ style, text: title }, line.slice(title.length)];
    });
}

const programHelp = `Examples:
  agent-hosting login
  agent-hosting agents invoke support-bot "Where is my order 5512?"
  agent-hosting deployments create support-bot 1.4.0
  agent-hosting logs support-bot --follow
  agent-hosting keys list --json

JSON:
  One document, an object or an array, with the field names of the API; logs and
  webhooks listen print one object a line. Errors go to standard error:
  {"error": {"code", "message", "status", "details", "retry_after", "request_id"}}

Environment:
  AGENT_HOSTING_API_KEY   a key; overrides the current profile, but not --profile
  AGENT_HOSTING_BASE_URL  the URL of the service of that key
  XDG_CONFIG_HOME         where profiles are kept (default: ~/.config)
  NO_COLOR, FORCE_COLOR   turn colours off or on

${exitCodeHelp}`;

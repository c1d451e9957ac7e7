/** The whole command line: every command, its help and its examples. */
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
import { exitCodeHelp, exitCodes } from './exit-codes.js';
import type { Terminal } from './terminal.js';

export function createProgram(run: Runner, terminal: Terminal, version: string): Command {
  const program = new Command('agent-hosting')
    .description('Work with the agents of an Agent Hosting Service.')
    .version(version, '-V, --version')
    .option('--json', 'print JSON, as the API gives it')
    .option('--profile <name>', 'use the service and key that were saved under this name')
    .option('--base-url <url>', 'where the service is')
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
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
  settle(program, terminal);
  return program;
}

/** What holds for every command: errors go to where remarks go, and wrong usage ends with its own code. */
function settle(command: Command, terminal: Terminal): void {
  command
    .showHelpAfterError('(--help shows how)')
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .configureOutput({
      writeOut: terminal.write,
      writeErr: terminal.note,
      getOutHelpWidth: () => terminal.columns ?? 100,
    })
    .exitOverride();
  command.commands.forEach((one) => {
    settle(one, terminal);
  });
}

const programHelp = `Examples:
  agent-hosting login
  agent-hosting agents invoke support-bot "Where is my order 5512?"
  agent-hosting deployments create support-bot 1.4.0
  agent-hosting logs support-bot --follow
  agent-hosting keys list --json

Environment: AGENT_HOSTING_API_KEY and AGENT_HOSTING_BASE_URL go before the profile in use, --profile before both.
NO_COLOR turns colours off.

${exitCodeHelp}`;

export const usageExit = exitCodes.usage;

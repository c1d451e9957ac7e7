/** The operator's command line: everything that is not a matter of the REST API. */
import { Command } from 'commander';
import { ServiceError } from '../domain/errors.js';
import { addAccountCommands } from './accounts.js';
import { addAgentCommands } from './agents.js';
import type { Run } from './context.js';
import { addDeliveryCommands } from './deliveries.js';
import { CommandFailure } from './failure.js';
import { addKeyCommands } from './keys.js';
import { addMfaCommands } from './mfa.js';

export interface GlobalOptions {
  account?: string;
  json?: boolean;
}

/** `withContext` opens what a command needs, once it is known which options it was given. */
export function createProgram(
  withContext: (options: GlobalOptions, command: Parameters<Run>[0]) => Promise<void>,
): Command {
  const operator = new Command('operator')
    .description('Look after an installation of the Agent Hosting Service.')
    .option('--account <name>', 'the account that the command is about (default: the first one)')
    .option('--json', 'print one JSON document, for machines')
    .showHelpAfterError('(see --help)')
    .addHelpText(
      'after',
      `
Examples:
  operator accounts create acme --tier pro
  operator agents apply -f support-bot.yaml --account acme
  operator keys create --name "Help desk" --role developer --agent support-bot
  operator keys rotate key_01m3v7xjz0etnv3twffmsrhx7s --grace 24h
  operator deliveries replay --webhook wh_01m3y21g40em7a3s4w04zg1hhc
  operator mfa enrol support-bot

The environment is the service's own (see .env.example). With the embedded database it works beside a running service.
Exit codes: 0 done, 1 failed, 2 wrong usage.`,
    );
  const run: Run = (command) => withContext(operator.opts<GlobalOptions>(), command);
  addAccountCommands(operator, run);
  addAgentCommands(operator, run);
  addKeyCommands(operator, run);
  addDeliveryCommands(operator, run);
  addMfaCommands(operator, run);
  acceptGlobalOptionsAnywhere(operator);
  return operator;
}

/** So that `operator keys list --json` is as good as `operator --json keys list`. */
function acceptGlobalOptionsAnywhere(operator: Command): void {
  const spread = (command: Command): void => {
    command
      .option('--account <name>', 'the account that the command is about')
      .option('--json', 'print one JSON document, for machines')
      .hook('preAction', (_this, action) => {
        const { account, json } = action.opts<GlobalOptions>();
        if (account !== undefined) operator.setOptionValue('account', account);
        if (json) operator.setOptionValue('json', true);
      });
  };
  for (const group of operator.commands) group.commands.forEach(spread);
}

/** What to tell a person about a failure; undefined for a fault of our own, which is shown as it is. */
export function describeFailure(error: unknown): string | undefined {
  if (error instanceof CommandFailure) return error.message;
  if (!(error instanceof ServiceError)) return undefined;
  const details = error.details?.map(({ field, error: problem }) => `  ${field}: ${problem}`) ?? [];
  return [error.message, ...details].join('\n');
}

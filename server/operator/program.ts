/** The operator's command line: administration that the REST API does not offer. */
import { Command } from 'commander';
import { ServiceError } from '../domain/errors.js';
import { messageOf } from '../lib/error-code.js';
import { linesOf } from '../lib/terminal.js';
import { addAccountCommands } from './accounts.js';
import { addAgentCommands } from './agents.js';
import { addBackupCommands } from './backup.js';
import type { Run, RunApart } from './context.js';
import { addDeletionCommands } from './deletions.js';
import { addDeliveryCommands } from './deliveries.js';
import { CommandFailure } from './failure.js';
import { addInvocationCommands } from './invocations.js';
import { addKeyCommands } from './keys.js';
import { addMfaCommands } from './mfa.js';
import { addMigrateCommand } from './migrate.js';
import { addSecretsCommands } from './secrets.js';
import { addUsageCommand } from './usage.js';
import { addUserCommands } from './users.js';

export interface GlobalOptions {
  account?: string;
  json?: boolean;
}

/** Each opens what a command needs, once its options are parsed. */
export function createProgram(
  withContext: (options: GlobalOptions, command: Parameters<Run>[0]) => Promise<void>,
  withInstallation: (options: GlobalOptions, command: Parameters<RunApart>[0]) => Promise<void>,
): Command {
  const operator = new Command('operator')
    .description('Administer an installation of the Agent Hosting Service.')
    .option('--account <name>', 'account to work on (default: the first one)')
    .option('--json', 'print the result as one JSON document')
    .showHelpAfterError('(see --help)')
    .addHelpText(
      'after',
      `
Examples:
  operator accounts create acme --tier pro
  operator agents diff -f support-bot.yaml --account acme
  operator agents apply -f support-bot.yaml --account acme
  operator keys create --name "Help desk" --role developer --agent support-bot
  operator keys rotate key_01m3v7xjz0etnv3twffmsrhx7s --grace 24h
  operator invocations cancel req_01m6dqs9m0fsw90fq1accfsmnf
  operator deliveries replay --webhook wh_01m3y21g40em7a3s4w04zg1hhc
  operator mfa enrol support-bot
  operator secrets rotate
  operator usage --from 2026-11-01 --by agent
  operator users erase ada@example.com --account acme
  operator backup agents-2026-11-16.backup

It reads the same environment variables as the service (see .env.example), and works while the service is running.
Exit codes: 0 success, 1 failure, 2 wrong usage.`,
    );
  const run: Run = (command) => withContext(operator.opts<GlobalOptions>(), command);
  const runApart: RunApart = (command) => withInstallation(operator.opts<GlobalOptions>(), command);
  addAccountCommands(operator, run);
  addAgentCommands(operator, run);
  addKeyCommands(operator, run);
  addInvocationCommands(operator, run);
  addDeliveryCommands(operator, run);
  addDeletionCommands(operator, run);
  addMfaCommands(operator, run);
  addSecretsCommands(operator, run);
  addUsageCommand(operator, run);
  addUserCommands(operator, run);
  addBackupCommands(operator, runApart);
  addMigrateCommand(operator, runApart);
  acceptGlobalOptionsAnywhere(operator);
  return operator;
}

/** Accepts `operator keys list --json` as well as `operator --json keys list`. */
function acceptGlobalOptionsAnywhere(operator: Command): void {
  const addGlobalOptions = (command: Command): void => {
    command
      .option('--account <name>', 'account to work on')
      .option('--json', 'print the result as one JSON document')
      .hook('preAction', (_this, action) => {
        const { account, json } = action.opts<GlobalOptions>();
        if (account !== undefined) operator.setOptionValue('account', account);
        if (json) operator.setOptionValue('json', true);
      });
  };
  for (const command of operator.commands) {
    const isGroup = command.commands.length > 0;
    (isGroup ? command.commands : [command]).forEach(addGlobalOptions);
  }
}

/** The lines that describe why a command failed. */
export function describeFailure(error: unknown): string[] {
  if (error instanceof CommandFailure) return [error.message, ...error.details];
  if (!(error instanceof ServiceError)) return linesOf(messageOf(error));
  const details = error.details?.map(({ field, error: problem }) => `  ${field}: ${problem}`) ?? [];
  return [error.message, ...details];
}

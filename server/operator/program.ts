/** The operator's command line, for administration that the REST API does not offer. */
import { Command } from 'commander';
import { commandLine } from '../contract/command-line.js';
import { ServiceError } from '../contract/errors.js';
import { messageOf } from '../lib/errors/error-code.js';
import { linesOf } from '../lib/system/terminal.js';
import { addAccountCommands } from './accounts.js';
import { addAgentCommands } from './agents.js';
import { addApprovalCommands } from './approvals.js';
import { addKeyCommands } from './keys.js';
import { addInvocationCommands } from './invocations.js';
import { addScheduleCommands } from './schedules.js';
import { addDeliveryCommands } from './deliveries.js';
import { addDeletionCommands } from './deletions.js';
import { addMfaCommands } from './mfa.js';
import { addSecretsCommands } from './secrets.js';
import { addUserCommands } from './users.js';
import { addBackupCommands } from './backup.js';
import type { Run, RunWithoutDatabase } from './context.js';
import { addDatabaseCommands } from './database.js';
import { exitCodeHelp } from './exit-codes.js';
import { CommandFailure } from './failure.js';
import { addMigrateCommand } from './migrate.js';
import { addUsageCommand } from './usage.js';

export interface GlobalOptions {
  account?: string;
  json?: boolean;
}

const accountOption = [
  '--account <name>',
  'account to work on; required to change something if there are several',
] as const;

/** The parameters open what a command needs, once its options are parsed. */
export function createProgram(
  withContext: (options: GlobalOptions, command: Parameters<Run>[0]) => Promise<void>,
  withInstallation: (
    options: GlobalOptions,
    command: Parameters<RunWithoutDatabase>[0],
  ) => Promise<void>,
): Command {
  const operator = new Command('operator')
    .description('Administer an installation of the Agent Hosting Service.')
    .option(...accountOption)
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
  operator schedules run support-bot nightly-report
  operator deliveries replay --webhook wh_01m3y21g40em7a3s4w04zg1hhc
  operator mfa enrol support-bot
  operator secrets rotate
  operator usage --from 2026-11-01 --by agent
  operator users erase ada@example.com --account acme
  operator backup agents-2026-11-16.backup

Here, operator stands for: ${commandLine()}
It reads the same environment variables as the service (see .env.example) and works while the service is running.

${exitCodeHelp}`,
    );
  const run: Run = (command) => withContext(operator.opts<GlobalOptions>(), command);
  const runWithoutDatabase: RunWithoutDatabase = (command) =>
    withInstallation(operator.opts<GlobalOptions>(), command);
  const group = (name: string, description: string) =>
    operator.command(name).description(description);
  addAccountCommands(group('accounts', 'the tenants of this installation'), run);
  addAgentCommands(group('agents', 'the agents of an account'), run);
  addKeyCommands(group('keys', 'the API keys of an account'), run);
  addApprovalCommands(group('approvals', 'runs that wait for somebody to approve tool calls'), run);
  addInvocationCommands(group('invocations', 'queued and running asynchronous invocations'), run);
  addScheduleCommands(group('schedules', 'when agents are invoked by themselves'), run);
  addDeliveryCommands(group('deliveries', 'event deliveries to webhooks'), run);
  addDeletionCommands(
    group('deletions', 'deleted data that is still being removed in the background'),
    run,
  );
  addMfaCommands(group('mfa', 'authenticators for one-time codes'), run);
  addSecretsCommands(group('secrets', 'the key that stored secrets are encrypted with'), run);
  addUsageCommand(operator, run);
  addUserCommands(group('users', 'the end users of an account'), run);
  addBackupCommands(operator, runWithoutDatabase);
  addMigrateCommand(operator, runWithoutDatabase);
  addDatabaseCommands(operator, runWithoutDatabase);
  for (const command of operator.commands) {
    const isGroup = command.commands.length > 0;
    acceptGlobalOptions(operator, isGroup ? command.commands : [command]);
  }
  return operator;
}

/** Accepts `operator keys list --json` as well as `operator --json keys list`. */
function acceptGlobalOptions(operator: Command, commands: readonly Command[]): void {
  for (const command of commands) {
    command
      .option(...accountOption)
      .option('--json', 'print the result as one JSON document')
      .hook('preAction', (_this, action) => {
        const { account, json } = action.opts<GlobalOptions>();
        if (account !== undefined) operator.setOptionValue('account', account);
        if (json) operator.setOptionValue('json', true);
      });
  }
}

/** The lines that describe why a command failed. */
export function describeFailure(error: unknown): string[] {
  if (error instanceof CommandFailure) return [error.message, ...error.details];
  if (!(error instanceof ServiceError)) return linesOf(messageOf(error));
  const details = error.details?.map(({ field, error: problem }) => `  ${field}: ${problem}`) ?? [];
  return [error.message, ...details];
}

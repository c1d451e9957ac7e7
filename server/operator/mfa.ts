/** `operator mfa`: the authenticator whose codes an agent demands. */
import type { Command } from 'commander';
import QRCode from 'qrcode';
import { getAgent } from '../domain/agents/agents.js';
import { enrol, findEnrolment, removeEnrolment } from '../domain/policy/one-time-code.js';
import { confirm } from './confirm.js';
import { CommandFailure } from './failure.js';
import type { Run } from './context.js';

export function addMfaCommands(operator: Command, run: Run): void {
  const mfa = operator.command('mfa').description('the one-time codes that agents demand');

  mfa
    .command('enrol')
    .description('make an authenticator for an agent, and show its QR code this once')
    .argument('<agent>', 'its id or name')
    .option('--yes', 'do not ask before an earlier one is replaced', false)
    .action((reference: string, options: { yes: boolean }) =>
      run(async ({ database, secrets, account, caller, output }) => {
        const { name: accountName } = await account();
        const { id, name } = await getAgent(database, await caller(), reference);
        if (await findEnrolment(database, id)) {
          await confirm(
            `Agent '${name}' has an authenticator, whose codes will no longer work. Replace it?`,
            options,
          );
        }
        const uri = await database.transaction((transaction) =>
          enrol(transaction, secrets, { id, name, account: accountName }),
        );
        const picture = await QRCode.toString(uri, { type: 'terminal', small: true });
        output.done(
          `${picture}\n${uri}\n\nScan it with an authenticator: it is shown this once. Its codes go into X-MFA-Code.`,
          { agent_id: id, uri },
        );
      }),
    );

  mfa
    .command('status')
    .description('show whether an agent has an authenticator, and whether it is locked')
    .argument('<agent>', 'its id or name')
    .action((reference: string) =>
      run(async ({ database, caller, output }) => {
        const { id, name } = await getAgent(database, await caller(), reference);
        const enrolment = await findEnrolment(database, id);
        if (!enrolment) {
          output.done(`Agent '${name}' has no authenticator.`, { agent_id: id, enrolled: false });
          return;
        }
        const { createdAt, failedAttempts, lockedUntil } = enrolment;
        const isLocked = lockedUntil !== null && lockedUntil.getTime() > Date.now();
        const state = isLocked
          ? `locked until ${lockedUntil.toISOString()}, after too many wrong codes`
          : `${failedAttempts} wrong ${failedAttempts === 1 ? 'code' : 'codes'} since the last right one`;
        output.done(
          `Agent '${name}' has an authenticator since ${createdAt.toISOString()}: ${state}.`,
          {
            agent_id: id,
            enrolled: true,
            created_at: createdAt.toISOString(),
            failed_attempts: failedAttempts,
            locked_until: isLocked ? lockedUntil.toISOString() : null,
          },
        );
      }),
    );

  mfa
    .command('remove')
    .description("take an agent's authenticator away; what demands a code is refused then")
    .argument('<agent>', 'its id or name')
    .option('--yes', 'do not ask', false)
    .action((reference: string, options: { yes: boolean }) =>
      run(async ({ database, caller, output }) => {
        const { id, name } = await getAgent(database, await caller(), reference);
        await confirm(`Remove the authenticator of agent '${name}'?`, options);
        if (!(await removeEnrolment(database, id))) {
          throw new CommandFailure(`Agent '${name}' has no authenticator.`);
        }
        output.done(`The authenticator of agent '${name}' is removed.`, {
          agent_id: id,
          removed: true,
        });
      }),
    );
}

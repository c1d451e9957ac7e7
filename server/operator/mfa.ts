/** `operator mfa`: the authenticator for an agent's one-time codes. */
import type { Command } from 'commander';
import QRCode from 'qrcode';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import { getAgent } from '../domain/agents/agents.js';
import { enrol, findEnrolment, removeEnrolment } from '../domain/policy/one-time-code.js';
import { confirm } from './confirm.js';
import { CommandFailure } from './failure.js';
import type { Run } from './context.js';
import { currentTime } from '../lib/time/clock.js';

export function addMfaCommands(mfa: Command, run: Run): void {
  mfa
    .command('enrol')
    .description('enrol an authenticator for an agent, and show its QR code once')
    .argument('<agent>', 'its id or name')
    .option('--yes', 'replace an existing authenticator without confirmation', false)
    .action((reference: string, options: { yes: boolean }) =>
      run(async ({ database, secrets, account, caller, output }) => {
        const { name: accountName } = await account();
        const operator = await caller();
        const { accountId } = operator;
        const { id, name } = await getAgent(database, operator, reference);
        if (await findEnrolment(database, { accountId, agentId: id })) {
          await confirm(
            `Agent '${name}' has an authenticator. Replace it? Its codes will stop working.`,
            options,
          );
        }
        const uri = await database.transaction((transaction) =>
          enrol(transaction, secrets, { id, accountId, name, account: accountName }),
        );
        const qrCode = await QRCode.toString(uri, { type: 'terminal', small: true });
        output.done(
          [
            { raw: qrCode },
            uri,
            '',
            'Scan it with an authenticator app: it is shown only once. Send its codes in X-MFA-Code.',
          ],
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
        const operator = await caller();
        const { id, name } = await getAgent(database, operator, reference);
        const enrolment = await findEnrolment(database, {
          accountId: operator.accountId,
          agentId: id,
        });
        if (!enrolment) {
          output.done(`Agent '${name}' has no authenticator.`, { agent_id: id, enrolled: false });
          return;
        }
        const { createdAt, failedAttempts, lockedUntil } = enrolment;
        const isLocked = lockedUntil !== null && lockedUntil.getTime() > currentTime();
        const state = isLocked
          ? `locked until ${lockedUntil.toISOString()}, after too many wrong codes`
          : `${failedAttempts} wrong ${failedAttempts === 1 ? 'code' : 'codes'} since the last valid one`;
        output.done(
          `Agent '${name}' has had an authenticator since ${createdAt.toISOString()}: ${state}.`,
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
    .description("remove an agent's authenticator; operations that require a code are then refused")
    .argument('<agent>', 'its id or name')
    .option('--yes', 'do not ask for confirmation', false)
    .action((reference: string, options: { yes: boolean }) =>
      run(async ({ database, caller, output }) => {
        const operator = await caller();
        const { id, name } = await getAgent(database, operator, reference);
        await confirm(`Remove the authenticator of agent '${name}'?`, options);
        if (!(await removeEnrolment(database, { accountId: operator.accountId, agentId: id }))) {
          throw new CommandFailure(`Agent '${name}' has no authenticator.`, [], exitCodes.notFound);
        }
        output.done(`The authenticator of agent '${name}' is removed.`, {
          agent_id: id,
          removed: true,
        });
      }),
    );
}

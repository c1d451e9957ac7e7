/** `operator mfa`: the authenticator for an agent's one-time codes. */
import type { Command } from 'commander';
import QRCode from 'qrcode';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import { getAgent } from '../agents/agents.js';
import { lockedCallers, wrongCodesToday } from '../access/code-limits.js';
import { enrol, findEnrolment, removeEnrolment } from '../access/one-time-code.js';
import { confirm } from './confirm.js';
import { CommandFailure } from './failure.js';
import type { Run } from './context.js';

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
    .description('show whether an agent has an authenticator, and who is locked out by wrong codes')
    .argument('<agent>', 'its id or name')
    .action((reference: string) =>
      run(async ({ database, reader, output }) => {
        const operator = await reader();
        const { id, name } = await getAgent(database, operator, reference);
        const enrolment = await findEnrolment(database, {
          accountId: operator.accountId,
          agentId: id,
        });
        if (!enrolment) {
          output.done(`Agent '${name}' has no authenticator.`, { agent_id: id, enrolled: false });
          return;
        }
        const { createdAt, lockedUntil, now } = enrolment;
        const isLocked = lockedUntil !== null && lockedUntil > now;
        const locked = lockedCallers(enrolment);
        const wrong = wrongCodesToday(enrolment);
        output.done(
          [
            `Agent '${name}' has had an authenticator since ${createdAt.toISOString()}: ${wrong} wrong ${wrong === 1 ? 'code' : 'codes'} within a day.`,
            ...locked.map((lock) => `${lock.caller} is locked until ${lock.until.toISOString()}.`),
            ...(isLocked
              ? [
                  `Callers who have given no valid code are locked until ${lockedUntil.toISOString()}.`,
                ]
              : []),
          ],
          {
            agent_id: id,
            enrolled: true,
            created_at: createdAt.toISOString(),
            failed_attempts: wrong,
            locked_until: isLocked ? lockedUntil.toISOString() : null,
            locked_callers: locked.map((lock) => ({
              caller: lock.caller,
              locked_until: lock.until.toISOString(),
            })),
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

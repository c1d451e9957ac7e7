/** `operator secrets`: replaces SECRETS_KEY while instances run. */
import type { Command } from 'commander';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import {
  countInstancesWithoutKey,
  type KeyUse,
  listKeyUse,
  rotateKeys,
} from '../installation/secrets-rotation.js';
import { showProgress } from '../lib/system/terminal.js';
import { confirm } from './confirm.js';
import type { Run } from './context.js';
import { CommandFailure } from './failure.js';

const rotationHelp = `
To rotate SECRETS_KEY without downtime:
  1. Restart every service and worker, one after the other, with the new key in SECRETS_KEY and the old one in
     SECRETS_KEY_PREVIOUS. They can decrypt with both keys, and still encrypt with the old one.
  2. Run operator secrets rotate with the same two variables. From then on everything is encrypted with the new key, and
     stored values are encrypted again. The command can be interrupted and repeated. API keys do not change.
  3. Restart every service and worker without SECRETS_KEY_PREVIOUS. They refuse to start while values need the old key.`;

export function addSecretsCommands(secrets: Command, run: Run): void {
  secrets.addHelpText('after', rotationHelp);

  secrets
    .command('status')
    .description('show how many stored values each key encrypts')
    .action(() =>
      run(async ({ database, secrets: ring, output }) => {
        output.table(
          await listKeyUse(database, ring),
          [
            { title: 'key', value: ({ id }) => id },
            { title: 'configured as', value: ({ role }) => role ?? '–' },
            { title: 'encrypts', value: ({ isActive }) => (isActive ? 'yes' : 'no') },
            { title: 'webhooks', value: ({ webhooks }) => String(webhooks) },
            { title: 'authenticators', value: ({ mfaEnrolments }) => String(mfaEnrolments) },
            { title: 'responses', value: ({ idempotencyRecords }) => String(idempotencyRecords) },
            { title: 'stream events', value: ({ streamEvents }) => String(streamEvents) },
            { title: 'steps of runs', value: ({ runSteps }) => String(runSteps) },
            { title: 'pepper', value: ({ apiKeyPepper }) => (apiKeyPepper ? 'yes' : 'no') },
          ],
          presentKeyUse,
        );
      }),
    );

  secrets
    .command('rotate')
    .description('encrypt everything with SECRETS_KEY in place of the keys in SECRETS_KEY_PREVIOUS')
    .option('--yes', 'do not ask for confirmation', false)
    .addHelpText('after', rotationHelp)
    .action((options: { yes: boolean }) =>
      run(async ({ database, secrets: ring, output }) => {
        const [{ id }] = ring.keys;
        const unprepared = await countInstancesWithoutKey(database, ring);
        if (unprepared > 0) {
          throw new CommandFailure(
            `Some running services or workers (${unprepared}) do not have the key ${id}. ` +
              'Restart them with it in SECRETS_KEY and the old key in SECRETS_KEY_PREVIOUS, then run this again.',
            [],
            exitCodes.conflict,
          );
        }
        await confirm(`Encrypt everything with the key ${id}, which is SECRETS_KEY?`, options);
        const { activated, resealed, unreadable } = await rotateKeys(database, ring, (count) => {
          showProgress(`${count} values encrypted again`);
        });
        showProgress('');
        if (unreadable.length > 0) {
          throw new CommandFailure(
            'Some values cannot be decrypted, because they were changed or their key is not configured:',
            unreadable.map((value) => `  ${value}`),
          );
        }
        output.done(
          [
            `Everything is encrypted with the key ${id}; ${resealed} ${resealed === 1 ? 'value was' : 'values were'} changed.`,
            'SECRETS_KEY_PREVIOUS is no longer needed.',
          ],
          { key: id, activated, resealed },
        );
      }),
    );
}

function presentKeyUse(use: KeyUse) {
  return {
    key: use.id,
    configured_as: use.role,
    active: use.isActive,
    webhooks: use.webhooks,
    mfa_enrolments: use.mfaEnrolments,
    idempotency_records: use.idempotencyRecords,
    stream_events: use.streamEvents,
    run_steps: use.runSteps,
    api_key_pepper: use.apiKeyPepper,
  };
}

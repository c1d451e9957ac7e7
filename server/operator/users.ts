/** `operator users`: erases the data of an account's end users. */
import type { Command } from 'commander';
import { longestWaitMs } from '../contract/agent-options.js';
import { type Erasure, eraseUser } from '../users/users.js';
import { confirm } from './confirm.js';
import type { Run } from './context.js';
import { currentTime } from '../lib/time/clock.js';

export function addUserCommands(users: Command, run: Run): void {
  users
    .command('erase')
    .description(
      'erase what all agents of the account store about a user, and cancel running invocations',
    )
    .argument('<user_id>', 'the user_id of invocations, or the subject of tokens')
    .option('--yes', 'do not ask for confirmation', false)
    .action((userId: string, options: { yes: boolean }) =>
      run(async ({ database, secrets, account, caller, output }) => {
        const { name } = await account();
        const where = `user '${userId}' in account '${name}'`;
        await confirm(`Erase messages, memory and sessions of ${where}?`, options);
        const erased = await eraseUser({ database, secrets, caller: await caller(), userId });
        const repeatAfter = new Date(currentTime() + longestWaitMs).toISOString();
        output.done(
          [`Erased data of ${where}:`, ...linesOf(erased)],
          { user_id: userId, account: name, erased: json(erased), repeat_after: repeatAfter },
          [
            `Invocations that were running are recorded when they end. Repeat this command after ${repeatAfter} to erase them too.`,
          ],
        );
      }),
    );
}

const titles: Record<keyof Erasure, [key: string, title: string]> = {
  memoryEntries: ['memory_entries', 'memory entries'],
  invocations: ['invocations', 'invocations (their counts are kept)'],
  logEntries: ['log_entries', 'log entries (their other fields are kept)'],
  events: ['events', 'events with their deliveries'],
  storedAnswers: ['stored_answers', 'responses stored for an Idempotency-Key'],
  streamEvents: ['stream_events', 'events of resumable streams'],
  runSteps: ['run_steps', 'steps of runs that went on or waited'],
  schedules: ['schedules', 'schedules (remove them from the manifest too)'],
  sessions: ['sessions', 'sessions in use'],
  cancelled: ['cancelled', 'asynchronous and waiting invocations cancelled'],
};

const kinds = Object.keys(titles) as (keyof Erasure)[];

function json(erased: Erasure): Record<string, number> {
  return Object.fromEntries(kinds.map((kind) => [titles[kind][0], erased[kind]]));
}

function linesOf(erased: Erasure): string[] {
  return kinds.map((kind) => `  ${erased[kind]} ${titles[kind][1]}`);
}

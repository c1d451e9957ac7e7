/** `operator schedules`: lists the schedules of agents, runs one at once, and pauses and resumes it. */
import type { Command } from 'commander';
import {
  pauseSchedule,
  listSchedules,
  presentSchedule,
  resumeSchedule,
  runSchedule,
} from '../schedules/schedules.js';
import type { ScheduleState } from '../schedules/queue.sql.js';
import type { Run } from './context.js';
import { dateColumn } from './output.js';

export function addScheduleCommands(schedules: Command, run: Run): void {
  schedules
    .command('list')
    .description('list the schedules of the account, by agent and name')
    .option('--agent <agent>', 'only schedules of this agent, by id or name')
    .action(({ agent }: { agent?: string }) =>
      run(async ({ database, accountToRead, reader, output }) => {
        const { name: account } = await accountToRead();
        const caller = await reader();
        output.table(
          await listSchedules(database, caller, { agent }),
          [
            { title: 'agent', value: ({ agentName }) => agentName },
            { title: 'name', value: ({ name }) => name, neverTruncate: true },
            { title: 'cron', value: ({ cron }) => cron, neverTruncate: true },
            { title: 'time zone', value: ({ timezone }) => timezone },
            dateColumn('next', ({ nextAt }) => nextAt, 'paused'),
            dateColumn('last', ({ lastAt }) => lastAt),
            {
              title: 'outcome',
              value: (one) => presentSchedule(one, caller).last_run?.outcome ?? '–',
            },
            { title: 'request', value: ({ lastRequestId }) => lastRequestId ?? '–' },
          ],
          (one: ScheduleState) => ({
            agent: one.agentName,
            account,
            ...presentSchedule(one, caller),
          }),
        );
      }),
    );

  named(schedules, 'run', 'run a schedule now, once, in addition to its times').action(
    (agent: string, name: string) =>
      run(async ({ database, caller, output }) => {
        const id = await runSchedule(database, await caller(), { agent, name });
        output.done(id, { agent, name, request_id: id });
      }),
  );

  named(schedules, 'pause', 'pause a schedule: it does not run until it is resumed').action(
    (agent: string, name: string) =>
      run(async ({ database, caller, output }) => {
        await pauseSchedule(database, await caller(), { agent, name });
        output.done(`Schedule '${name}' is paused.`, { agent, name, paused: true });
      }),
  );

  named(
    schedules,
    'resume',
    'resume a schedule; what it has missed in the meantime does not run',
  ).action((agent: string, name: string) =>
    run(async ({ database, caller, output }) => {
      const next = (await resumeSchedule(database, await caller(), { agent, name }))?.toISOString();
      const json = { agent, name, paused: false, next_at: next ?? null };
      output.done(`Schedule '${name}' is due next at ${next ?? 'no time'}.`, json);
    }),
  );
}

function named(schedules: Command, verb: string, description: string): Command {
  return schedules
    .command(verb)
    .description(description)
    .argument('<agent>', 'its id or name')
    .argument('<name>', 'the name of the schedule');
}

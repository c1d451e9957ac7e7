/** The schedules of an agent, with their next times and what became of the last ones. */
import type { Agent } from '../../../src/index.js';
import { Badge } from '../../components/badge.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { LongText } from '../../components/long-text.js';
import { Text } from '../../components/text.js';
import { Time } from '../../components/time.js';
import { linkTo } from '../../lib/router.js';

type Schedule = NonNullable<Agent['schedules']>[number];

export function ScheduleTable({ agent }: { agent: Agent }) {
  const { schedules = [] } = agent;
  if (schedules.length === 0) return null;
  const columns: Column<Schedule>[] = [
    { title: 'Name', kind: 'name', cell: ({ name }) => <Text>{name}</Text> },
    {
      title: 'Times',
      cell: ({ cron, timezone }) => (
        <>
          <code>{cron}</code> <span class="muted">{timezone}</span>
        </>
      ),
    },
    { title: 'Message', cell: (schedule) => <Message schedule={schedule} /> },
    {
      title: 'Next',
      cell: ({ next_at }) =>
        next_at === null ? <Badge state="paused" /> : <Time at={next_at} mayBeFuture />,
    },
    { title: 'Last', cell: (schedule) => <LastRun agent={agent.name} schedule={schedule} /> },
  ];
  return (
    <section class="card schedules">
      <h2>Schedules</h2>
      <p class="hint">
        Set by the manifest. Each time is an asynchronous invocation, whose answer is in its log.
      </p>
      <DataTable label="Schedules" columns={columns} items={schedules} idOf={({ name }) => name} />
    </section>
  );
}

function Message({ schedule: { name, message, context } }: { schedule: Schedule }) {
  if (message === undefined) return <span class="muted">of another user</span>;
  return (
    <>
      <LongText text={message} fileName={`${name}.txt`} />
      {context && (
        <div class="muted">
          <Text>{JSON.stringify(context)}</Text>
        </div>
      )}
    </>
  );
}

function LastRun({ agent, schedule: { last_run } }: { agent: string; schedule: Schedule }) {
  if (!last_run) return <span class="muted">none yet</span>;
  const { at, outcome, request_id } = last_run;
  return (
    <span class="pair">
      {outcome !== undefined && <Badge state={outcome} />}
      <a href={linkTo(['agents', agent, 'logs'], { request: request_id })}>
        <Time at={at} />
      </a>
    </span>
  );
}

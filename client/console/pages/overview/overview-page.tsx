/** The usage of the account: invocations, errors and tokens, in total and by agent. */
import { useLive } from '../../api/live.js';
import { may } from '../../api/permissions.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { Page } from '../../components/page.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { RangePicker } from '../../components/range-picker.js';
import { Empty, NotAllowed, Skeleton } from '../../components/states.js';
import { Total, Totals } from '../../components/totals.js';
import { address, linkTo } from '../../lib/router.js';
import { formatDuration } from '../../lib/time.js';
import { ranges, readRange } from '../../lib/time-range.js';
import { formatInteger, formatDecimal, plural } from '../../lib/numbers.js';
import {
  type AccountUsage,
  type AgentUsage,
  loadAccountUsage,
  maxAgents,
  requestsPerAgent,
} from './account-usage.js';

const refreshMs = 60_000;

export function OverviewPage() {
  const range = readRange(address.value.query, '24h');
  const key = range.name ?? `${range.start}–${range.end}`;
  const { data, problem, refresh } = useLive(
    may('read') ? `account-usage:${key}` : undefined,
    (client, signal) => {
      const end = range.end ?? Date.now();
      const start =
        range.name === undefined
          ? (range.start ?? end - ranges['24h'].ms)
          : end - ranges[range.name].ms;
      return loadAccountUsage(client, { start, end }, signal);
    },
    {
      everyMs: range.name === undefined ? undefined : refreshMs,
      cost: requestsPerAgent * maxAgents,
    },
  );
  if (!may('read')) {
    return (
      <Page title="Overview">
        <NotAllowed permission="read" what="see agents" />
      </Page>
    );
  }
  return (
    <Page title="Overview">
      <div class="toolbar">
        <RangePicker range={range} />
      </div>
      <ProblemPanel problem={problem} onRetry={refresh} />
      {!data && !problem && <Skeleton rows={6} />}
      {data && <Usage {...data} />}
    </Page>
  );
}

function Usage({ agents, total }: AccountUsage) {
  if (agents.length === 0) {
    return <Empty title="No agents yet">The operator creates agents.</Empty>;
  }
  const sum = (of: (usage: AgentUsage) => number) =>
    agents.reduce((before, usage) => before + of(usage), 0);
  const invocations = sum((usage) => usage.invocations);
  const errors = sum((usage) => usage.errors);
  return (
    <>
      <Totals>
        <Total name="Invocations" value={formatInteger(invocations)} />
        <Total name="Errors" value={formatErrors(errors, invocations)} />
        <Total name="Tokens" value={formatInteger(sum(({ tokens }) => tokens))} />
      </Totals>
      {agents.length < total && (
        <p class="muted">
          Includes only the {plural(agents.length, 'agent')} changed most recently, of{' '}
          {formatInteger(total)}.
        </p>
      )}
      <DataTable label="Usage by agent" columns={columns} items={agents} idOf={idOf} />
    </>
  );
}

const idOf = ({ agent: { id } }: AgentUsage) => id;

const columns: Column<AgentUsage>[] = [
  {
    title: 'Agent',
    kind: 'name',
    cell: ({ agent: { name } }) => <a href={linkTo(['agents', name, 'metrics'])}>{name}</a>,
  },
  { title: 'Invocations', cell: ({ invocations }) => formatInteger(invocations) },
  {
    title: 'Errors',
    cell: ({ errors, invocations }) => (
      <span class={errors > 0 ? 'trend bad' : ''}>{formatErrors(errors, invocations)}</span>
    ),
  },
  { title: 'Tokens', cell: ({ tokens }) => formatInteger(tokens) },
  {
    title: 'Mean response time',
    cell: ({ responseTime }) => (responseTime === undefined ? '–' : formatDuration(responseTime)),
  },
];

function formatErrors(errors: number, invocations: number): string {
  if (invocations === 0) return '0';
  return `${formatInteger(errors)} (${formatDecimal((100 * errors) / invocations)} %)`;
}

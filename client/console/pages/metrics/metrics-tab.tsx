/** The metrics of an agent over time: throughput, error rate, response time and tokens. */
import { useMemo } from 'preact/hooks';
import type { Deployment } from '../../../src/index.js';
import { useLive } from '../../api/live.js';
import { Button } from '../../components/button.js';
import { EnvironmentSelect } from '../../components/environment-select.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { RangePicker } from '../../components/range-picker.js';
import { Empty, Skeleton } from '../../components/states.js';
import { Total, Totals } from '../../components/totals.js';
import { address, setQuery } from '../../lib/router.js';
import { formatDuration } from '../../lib/time.js';
import { customRangeQuery, rangeQuery, ranges, readRange } from '../../lib/time-range.js';
import { formatInteger, formatDecimal, plural } from '../../lib/numbers.js';
import { useDeployments } from '../agent/data.js';
import { environmentsOf, production } from '../agent/environments.js';
import { MetricChart } from './metric-chart.js';
import { deploymentMarks } from './marks.js';
import { loadPercentiles, type Percentiles } from './percentiles.js';
import { bucketMs, loadMetrics, totalsOf, type MetricTable } from './series.js';

const refreshMs = 30_000;
/** Less often, since it reads a full page of the log. */
const percentilesRefreshMs = 120_000;
/** A shorter range would have too few buckets. */
const minZoomSeconds = 300;

export function MetricsTab({ agent }: { agent: string }) {
  const { query } = address.value;
  const range = readRange(query, '24h');
  const isFixed = range.name === undefined;
  const environment = query.get('environment') ?? '';
  const rangeKey = isFixed ? `${range.start}–${range.end}` : (range.name ?? '');
  const key = `${rangeKey}:${environment}`;
  const { data: deployments } = useDeployments(agent);
  const currentSelection = () => {
    // Whole minutes, so that the latest rate does not cover only a few seconds.
    const end = range.end ?? Math.ceil(Date.now() / 60_000) * 60_000;
    const start = isFixed
      ? (range.start ?? end - ranges['24h'].ms)
      : end - ranges[range.name ?? '24h'].ms;
    return { start, end, environment: environment === '' ? undefined : environment };
  };
  const { data, problem, refresh } = useLive(
    `metrics:${agent}:${key}`,
    (client, signal) => loadMetrics(client, agent, currentSelection(), signal),
    { everyMs: isFixed ? undefined : refreshMs, cost: 4 },
  );
  const { data: percentiles } = useLive(
    `percentiles:${agent}:${key}`,
    (client, signal) => loadPercentiles(client, agent, currentSelection(), signal),
    { everyMs: isFixed ? undefined : percentilesRefreshMs },
  );
  return (
    <>
      <div class="toolbar">
        <EnvironmentSelect
          aria-label="Environment"
          environments={environmentsOf(deployments)}
          value={environment}
          all="All environments"
          onChange={(name) => {
            setQuery({ environment: name });
          }}
        />
        <RangePicker range={range} />
        {isFixed && (
          <Button
            onClick={() => {
              setQuery(rangeQuery(undefined), { replace: false });
            }}
          >
            Reset zoom
          </Button>
        )}
        <span class="muted">Drag across a chart to zoom</span>
      </div>
      <ProblemPanel problem={problem} onRetry={refresh} />
      {!data && !problem && <Skeleton rows={8} />}
      {data && (
        <Charts
          deployments={deployments ?? []}
          environment={environment === '' ? production : environment}
          table={data}
          percentiles={percentiles}
        />
      )}
    </>
  );
}

interface ChartsProps {
  deployments: readonly Deployment[];
  /** Whose deployments are marked. */
  environment: string;
  table: MetricTable;
  percentiles: Percentiles | undefined;
}

function Charts({ deployments: all, environment, table, percentiles }: ChartsProps) {
  const deployments = useMemo(
    () => deploymentMarks(all, environment, bucketMs[table.granularity] / 1_000),
    [all.map(({ id, activated_at }) => id + activated_at).join(), environment, table.granularity],
  );
  const { invocations, errors, tokens, responseTime } = totalsOf(table);
  const zoom = (start: number, end: number) => {
    if (end - start < minZoomSeconds) return;
    setQuery(customRangeQuery(start * 1_000, end * 1_000), { replace: false });
  };
  if (invocations === 0) {
    return (
      <Empty title="No invocations in this range">
        Choose a longer range, or send the agent a message in Chat.
      </Empty>
    );
  }
  const shared = { table, deployments, onZoom: zoom };
  return (
    <>
      <Totals>
        <Total name="Invocations" value={formatInteger(invocations)} />
        <Total
          name="Errors"
          value={`${formatInteger(errors)} (${formatDecimal((100 * errors) / invocations)} %)`}
        />
        <Total
          name="Mean response time"
          value={responseTime === undefined ? '–' : formatDuration(responseTime)}
          note={percentiles && formatPercentiles(percentiles)}
        />
        <Total name="Tokens" value={formatInteger(tokens)} />
      </Totals>
      <ul class="chart-legend muted" aria-label="Marks in the charts">
        <li>
          <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            <path class="error-mark" d="M6 2 11 11H1z" />
          </svg>
          invocations failed at this time
        </li>
        <li>
          <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            <path class="deployment-mark" d="M6 0v12" />
          </svg>
          this version went live in {environment}
        </li>
      </ul>
      <MetricChart
        {...shared}
        title="Throughput"
        metric="throughput"
        kind="bars"
        tone="good"
        format={perMinute}
      />
      <MetricChart
        {...shared}
        title="Error rate"
        metric="error_rate"
        kind="bars"
        tone="bad"
        format={percent}
      />
      <MetricChart
        {...shared}
        title="Mean response time"
        metric="response_time"
        kind="line"
        tone="good"
        format={formatDuration}
      />
      <MetricChart
        {...shared}
        title="Tokens"
        metric="token_usage"
        kind="bars"
        tone="good"
        format={formatInteger}
      />
    </>
  );
}

function formatPercentiles({ p50, p95, invocations }: Percentiles): string {
  return `p50 ${formatDuration(p50)}, p95 ${formatDuration(p95)} of the latest ${plural(invocations, 'invocation')}`;
}

function perMinute(value: number): string {
  return `${formatDecimal(value)} /min`;
}

function percent(value: number): string {
  return `${formatDecimal(value)} %`;
}

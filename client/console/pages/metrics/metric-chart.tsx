/** A metric as a chart, with the value under the cursor, and as a table for screen readers. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { MetricName } from '../../../src/index.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { isDark } from '../../lib/theme.js';
import { exactTime } from '../../lib/time.js';
import type { Problem } from '../../api/problem.js';
import type { Chart, ChartOptions, DrawChart } from './draw-chart.js';
import type { MetricTable } from './series.js';

interface MetricChartProps extends Pick<
  ChartOptions,
  'kind' | 'tone' | 'format' | 'deployments' | 'onZoom'
> {
  title: string;
  metric: MetricName;
  table: MetricTable;
}

export function MetricChart(props: MetricChartProps) {
  const { title, metric, table, format } = props;
  const container = useRef<HTMLDivElement>(null);
  const [bucket, setBucket] = useState<number | null>(null);
  const values = table[metric];
  const problem = useChart(container, props, setBucket);
  const value = bucket === null ? null : (values[bucket] ?? null);
  const time = bucket === null ? undefined : table.times[bucket];
  const known = values.filter((one) => one !== null);
  const summary =
    known.length === 0
      ? 'no values'
      : `from ${format(Math.min(...known))} to ${format(Math.max(...known))}`;
  return (
    <figure class="card chart">
      <figcaption>
        <h2>{title}</h2>
        <span class="muted readout">
          {time === undefined
            ? summary
            : `${value === null ? 'none' : format(value)} · ${exactTime(time * 1_000).split(' (')[0]}`}
        </span>
      </figcaption>
      <ProblemPanel problem={problem} />
      <div ref={container} class="chart-container" role="img" aria-label={`${title}, ${summary}`} />
      <ValueTable title={title} table={table} values={values} format={format} />
    </figure>
  );
}

/** The name of the chart module changes with each release, so an outdated page may request a file that no longer exists. */
const cannotDraw: Problem = {
  title: 'The chart cannot be drawn.',
  advice: 'The service may have been updated: reload the page.',
  requestId: undefined,
  retryAfterMs: undefined,
};

/** Redraws the chart when its data or the theme changes, which takes a few milliseconds. */
function useChart(
  container: { current: HTMLDivElement | null },
  { metric, table, kind, tone, format, deployments, onZoom }: MetricChartProps,
  onCursor: (index: number | null) => void,
): Problem | undefined {
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const dark = isDark.value;
  const latestZoom = useRef(onZoom);
  latestZoom.current = onZoom;
  useEffect(() => {
    const element = container.current;
    if (!element) return undefined;
    let chart: Chart | undefined;
    let isUnmounted = false;
    const observer = new ResizeObserver(() => chart?.resize(element.clientWidth));
    const draw = ({ drawChart }: { drawChart: DrawChart }) => {
      if (isUnmounted) return;
      chart = drawChart(
        element,
        {
          times: table.times,
          values: table[metric],
          start: table.range.start / 1_000,
          end: table.range.end / 1_000,
        },
        {
          kind,
          tone,
          format,
          deployments,
          // The error rate chart needs no error marks.
          errors:
            metric === 'error_rate'
              ? []
              : table.times.filter((_, index) => (table.error_rate[index] ?? 0) > 0),
          onCursor,
          onZoom: (start, end) => {
            latestZoom.current(start, end);
          },
        },
      );
      observer.observe(element);
    };
    import('./draw-chart.js').then(draw, () => {
      setProblem(cannotDraw);
    });
    return () => {
      isUnmounted = true;
      observer.disconnect();
      chart?.destroy();
    };
  }, [table, metric, dark, deployments]);
  return problem;
}

interface ValueTableProps {
  title: string;
  table: MetricTable;
  values: (number | null)[];
  format: (value: number) => string;
}

function ValueTable({ title, table, values, format }: ValueTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>As a table</summary>
      {isOpen && (
        <div class="table-frame short" tabIndex={0} role="region" aria-label={`${title}, values`}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col">{title}</th>
              </tr>
            </thead>
            <tbody>
              {table.times.map((seconds, index) => {
                const value = values[index] ?? null;
                return (
                  <tr key={seconds}>
                    <td>{exactTime(seconds * 1_000).split(' (')[0]}</td>
                    <td>{value === null ? '–' : format(value)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

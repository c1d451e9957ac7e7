/** One metric as a chart, with its value under the cursor, and as a table for those who cannot see it. */
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
  const place = useRef<HTMLDivElement>(null);
  const [bucket, setBucket] = useState<number | null>(null);
  const values = table[metric];
  const problem = useChart(place, props, setBucket);
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
      <div ref={place} class="chart-place" role="img" aria-label={`${title}, ${summary}`} />
      <ValueTable title={title} table={table} values={values} format={format} />
    </figure>
  );
}

/** The file that draws charts has another name in another release, so an old page may ask for one that is gone. */
const cannotDraw: Problem = {
  title: 'The chart cannot be drawn.',
  advice: 'The service may have been updated: reload the page.',
  requestId: undefined,
  retryAfterMs: undefined,
};

/** The chart is drawn anew when its data or the theme changes; uPlot takes a few milliseconds for it. */
function useChart(
  place: { current: HTMLDivElement | null },
  { metric, table, kind, tone, format, deployments, onZoom }: MetricChartProps,
  onCursor: (index: number | null) => void,
): Problem | undefined {
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const dark = isDark.value;
  const latestZoom = useRef(onZoom);
  latestZoom.current = onZoom;
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    let chart: Chart | undefined;
    let isGone = false;
    const observer = new ResizeObserver(() => chart?.resize(element.clientWidth));
    const draw = ({ drawChart }: { drawChart: DrawChart }) => {
      if (isGone) return;
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
          // The chart of errors shows them itself.
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
      isGone = true;
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

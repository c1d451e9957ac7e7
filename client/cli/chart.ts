/** Bar charts of time series, drawn with block characters. */
import { formatTimestamp } from './time.js';

export interface Point {
  timestamp: string;
  value: number;
}

const height = 8;
const maxBarWidth = 4;
const eighths = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** Steps without a point stay empty. If there are more steps than columns, adjacent steps share a bar. */
export function drawChart(points: Point[], stepMs: number, width: number): string[] {
  const maximum = Math.max(...points.map(({ value }) => value), 0);
  const [top = '', middle = '', bottom = ''] = [maximum, maximum / 2, 0].map(formatNumber);
  const margin = Math.max(top.length, middle.length);
  const columns = Math.max(8, width - margin - 2);
  const bars = downsample(valuesByStep(points, stepMs), columns);
  const barWidth = Math.min(maxBarWidth, Math.max(1, Math.floor(columns / bars.length)));
  const rows = Array.from({ length: height }, (_, index) => {
    const text = index === 0 ? top : index === height / 2 ? middle : '';
    const cells = bars.map((value) =>
      barCell(maximum === 0 ? 0 : value / maximum, height - 1 - index).repeat(barWidth),
    );
    return `${text.padStart(margin)} ┤${cells.join('')}`.trimEnd();
  });
  const length = bars.length * barWidth;
  return [
    ...rows,
    `${bottom.padStart(margin)} ┼${'─'.repeat(length)}`,
    ...timeAxis(points, length, columns).map((line) => `${' '.repeat(margin + 2)}${line}`),
  ];
}

/** The first and the last timestamp, on two lines if they do not fit on one. */
function timeAxis(points: Point[], length: number, columns: number): string[] {
  const first = formatTimestamp(points[0]?.timestamp ?? null);
  const last = formatTimestamp(points.at(-1)?.timestamp ?? null);
  if (first === last) return [first.slice(0, columns)];
  const width = Math.max(length, first.length + last.length + 2);
  if (width > columns) return [first, last.padStart(length)].map((line) => line.slice(0, columns));
  return [`${first}${last.padStart(width - first.length)}`];
}

/** The part of a bar on one line; `share` is its height, from 0 to 1. */
function barCell(share: number, level: number): string {
  const filled = Math.round(share * height * 8) - level * 8;
  // A value above 0 is always visible.
  const visible = level === 0 && share > 0 ? Math.max(1, filled) : filled;
  return eighths[Math.min(8, Math.max(0, visible))] || ' ';
}

/** One value for each step, from the first point to the last. */
function valuesByStep(points: Point[], stepMs: number): number[] {
  const start = Date.parse(points[0]?.timestamp ?? '');
  const values: number[] = [];
  for (const { timestamp, value } of points) {
    const index = Math.round((Date.parse(timestamp) - start) / stepMs);
    values[Math.max(index, 0)] = value;
  }
  return Array.from(values, (value: number | undefined) => value ?? 0);
}

/**
 * At most one value for each column: the largest of those that share it, so that no peak is lost. The latest value has
 * its own column, so that the last bar is the same at every width.
 */
function downsample(values: number[], columns: number): number[] {
  const earlier = values.slice(0, -1);
  const size = Math.max(1, Math.ceil(earlier.length / (columns - 1)));
  const bars = Array.from({ length: Math.ceil(earlier.length / size) }, (_, index) =>
    Math.max(...earlier.slice(index * size, (index + 1) * size)),
  );
  return [...bars, ...values.slice(-1)];
}

export function formatNumber(value: number): string {
  if (value === 0) return '0';
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

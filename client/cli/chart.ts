/** Draws a series of numbers over time with the characters of a terminal. */
import { seconds } from './time.js';

export interface Point {
  timestamp: string;
  value: number;
}

const height = 8;
const widestBar = 4;
const eighths = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/**
 * Lines of a bar chart, at most that wide. Steps without a point stay empty; where there are more steps than columns,
 * neighbours share a bar.
 */
export function drawChart(points: Point[], stepMs: number, width: number): string[] {
  const largest = Math.max(...points.map(({ value }) => value), 0);
  const [top = '', middle = '', bottom = ''] = [largest, largest / 2, 0].map(label);
  const margin = Math.max(top.length, middle.length);
  const columns = Math.max(8, width - margin - 2);
  const bars = shared(spread(points, stepMs), columns);
  const barWidth = Math.min(widestBar, Math.max(1, Math.floor(columns / bars.length)));
  const rows = Array.from({ length: height }, (_, index) => {
    const text = index === 0 ? top : index === height / 2 ? middle : '';
    const cells = bars.map((value) =>
      cell(largest === 0 ? 0 : value / largest, height - 1 - index).repeat(barWidth),
    );
    return `${text.padStart(margin)} ┤${cells.join('')}`.trimEnd();
  });
  const length = bars.length * barWidth;
  return [
    ...rows,
    `${bottom.padStart(margin)} ┼${'─'.repeat(length)}`,
    `${' '.repeat(margin + 2)}${axis(points, length, columns)}`.trimEnd(),
  ];
}

/** The first and the last time, as far as there is room for them. */
function axis(points: Point[], length: number, columns: number): string {
  const first = seconds(points[0]?.timestamp ?? null);
  const last = seconds(points.at(-1)?.timestamp ?? null);
  const room = Math.max(length, first.length + last.length + 2);
  if (first === last || room > columns) return first.slice(0, columns);
  return `${first}${last.padStart(room - first.length)}`;
}

function cell(share: number, level: number): string {
  const filled = Math.round(share * height * 8) - level * 8;
  // What is not nothing is seen.
  const shown = level === 0 && share > 0 ? Math.max(1, filled) : filled;
  return eighths[Math.min(8, Math.max(0, shown))] || ' ';
}

/** One value a step, from the first point to the last. */
function spread(points: Point[], stepMs: number): number[] {
  const begin = Date.parse(points[0]?.timestamp ?? '');
  const values: number[] = [];
  for (const { timestamp, value } of points) {
    const index = Math.round((Date.parse(timestamp) - begin) / stepMs);
    values[Math.max(index, 0)] = value;
  }
  return Array.from(values, (value: number | undefined) => value ?? 0);
}

/** One value a column: the largest of those that share it, so that no peak is lost. */
function shared(values: number[], columns: number): number[] {
  const size = Math.ceil(values.length / columns);
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    Math.max(...values.slice(index * size, (index + 1) * size)),
  );
}

export function label(value: number): string {
  if (value === 0) return '0';
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

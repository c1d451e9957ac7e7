/** Draws a series of numbers over time with the characters of a terminal. */
import { seconds } from './time.js';

export interface Point {
  timestamp: string;
  value: number;
}

const height = 8;
const eighths = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** Lines of a bar chart, at most that wide; neighbours share a bar where there are more points than columns. */
export function drawChart(points: Point[], width: number): string[] {
  const largest = Math.max(...points.map(({ value }) => value), 0);
  const labels = [largest, largest / 2, 0].map(label);
  const margin = Math.max(...labels.map((text) => text.length));
  const bars = shared(points, Math.max(8, width - margin - 2));
  const rows = Array.from({ length: height }, (_, index) => {
    const level = height - 1 - index;
    const text = index === 0 ? labels[0] : index === height / 2 ? labels[1] : '';
    const cells = bars.map((value) => cell(largest === 0 ? 0 : value / largest, level));
    return `${(text ?? '').padStart(margin)} ┤${cells.join('')}`.trimEnd();
  });
  const first = seconds(points[0]?.timestamp ?? null);
  const last = seconds(points.at(-1)?.timestamp ?? null);
  const gap = Math.max(2, bars.length - first.length - last.length);
  return [
    ...rows,
    `${labels[2]?.padStart(margin)} ┼${'─'.repeat(bars.length)}`,
    `${' '.repeat(margin + 2)}${first}${' '.repeat(gap)}${last}`,
  ];
}

function cell(share: number, level: number): string {
  const filled = Math.round(share * height * 8) - level * 8;
  return eighths[Math.min(8, Math.max(0, filled))] || ' ';
}

/** One value a column: the largest of those that share it, so that no peak is lost. */
function shared(points: Point[], columns: number): number[] {
  const size = Math.ceil(points.length / columns);
  return Array.from({ length: Math.ceil(points.length / size) }, (_, index) =>
    Math.max(...points.slice(index * size, (index + 1) * size).map(({ value }) => value)),
  );
}

export function label(value: number): string {
  if (value === 0) return '0';
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

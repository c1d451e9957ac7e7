/** A table of figures: for the terminal, for Markdown, and as JSON for programs. */
import { type Goal, goalText, isReached } from './targets.js';

export interface Figure {
  value: number;
  digits: number;
  goal?: Goal;
}

export interface Table {
  title: string;
  /** How the figures were measured. */
  note: string;
  columns: string[];
  rows: { title: string; figures: (Figure | undefined)[] }[];
}

export const figure = (value: number, digits: number, goal?: Goal): Figure => ({
  value,
  digits,
  ...(goal && { goal }),
});

/** With the goal beside it, and whether it is reached. */
export function figureText(shown: Figure | undefined): string {
  if (shown === undefined || Number.isNaN(shown.value)) return '–';
  const { value, digits, goal } = shown;
  const text = value.toFixed(digits);
  return goal ? `${text} ${isReached(value, goal) ? '✓' : '✗'} (${goalText(goal)})` : text;
}

export function terminalTable({ title, note, columns, rows }: Table): string {
  const lines = cells(columns, rows);
  const widths = widthsOf(lines);
  const text = lines.map((line) =>
    line
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
  return [`${title} (${note})`, ...text].join('\n');
}

/** Laid out as Prettier does, so that a written file is a formatted one. */
export function markdownTable({ columns, rows }: Omit<Table, 'title' | 'note'>): string {
  const [head = [], ...body] = cells(columns, rows);
  const widths = widthsOf([head, ...body]).map((width) => Math.max(width, 3));
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(head), rule, ...body.map(line)].join('\n');
}

function cells(columns: string[], rows: Table['rows']): string[][] {
  const shown = ({ title, figures }: Table['rows'][number]) => [
    title,
    ...columns.map((_, column) => figureText(figures[column])),
  ];
  return [['', ...columns], ...rows.map(shown)];
}

function widthsOf(lines: string[][]): number[] {
  return (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
}

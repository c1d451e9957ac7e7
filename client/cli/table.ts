/** Fits tables to the terminal: truncates wide columns, then hides minor ones, then prints each row as a block. */
import type { Line, Style } from './styled-line.js';
import { displayWidth, escapeUnprintable, oneLine, padToWidth, truncate } from './text.js';
import { formatRelativeTime, formatTimestamp } from './time.js';

export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
  /** A shorter form for terminals; other outputs get the value. */
  shortValue?: (row: Row) => string;
  /** For values that must stay complete, such as ids that users copy. */
  neverTruncate?: boolean;
  /** Hidden if the terminal is too narrow for all columns. */
  hideIfNarrow?: boolean;
  style?: (row: Row) => Style | undefined;
}

export const idColumn: Column<{ id: string }> = {
  title: 'id',
  value: ({ id }) => id,
  neverTruncate: true,
};

export function statusColumn<Status extends string>(
  styles: Record<Status, Style>,
): Column<{ status: Status }> {
  return {
    title: 'status',
    value: ({ status }) => status,
    neverTruncate: true,
    style: ({ status }) => styles[status],
  };
}

export function timeColumn<Row>(
  title: string,
  timestamp: (row: Row) => string | null,
): Column<Row> {
  return {
    title,
    value: (row) => formatTimestamp(timestamp(row)),
    shortValue: (row) => formatRelativeTime(timestamp(row)),
  };
}

interface MeasuredColumn<Row> {
  column: Column<Row>;
  title: string;
  cells: string[];
  width: number;
}

const gap = 2;

/** Columns are not truncated below this width if hiding others is enough. */
const preferredMinWidth = 20;

/** `width` is undefined without a terminal; then nothing is truncated. */
export function formatTable<Row>(
  rows: Row[],
  columns: Column<Row>[],
  width: number | undefined,
): Line[] {
  const measured = columns.map((column) => measure(column, rows, width !== undefined));
  const major = measured.filter(({ column }) => !column.hideIfNarrow);
  const fitting =
    width === undefined
      ? measured
      : (shrinkToFit(measured, width, preferredMinWidth) ??
        shrinkToFit(major, width, preferredMinWidth) ??
        shrinkToFit(major, width, 0));
  return fitting ? formatRows(rows, fitting) : formatBlocks(rows, measured);
}

function formatRows<Row>(rows: Row[], columns: MeasuredColumn<Row>[]): Line[] {
  const line = (
    textOf: (column: MeasuredColumn<Row>) => string,
    styleOf: (column: MeasuredColumn<Row>) => Style | undefined,
  ): Line => {
    const last = columns.findLastIndex((column) => textOf(column) !== '');
    return columns.slice(0, last + 1).flatMap((column, index) => {
      const text = truncate(textOf(column), column.width);
      const padding = index === last ? 0 : column.width - displayWidth(text) + gap;
      return [{ style: styleOf(column), text }, ' '.repeat(padding)];
    });
  };
  return [
    line(
      ({ title }) => title,
      () => 'bold',
    ),
    ...rows.map((row, index) =>
      line(
        ({ cells }) => cells[index] ?? '',
        ({ column }) => column.style?.(row),
      ),
    ),
  ];
}

/** Each row is a block with one line per column. */
function formatBlocks<Row>(rows: Row[], columns: MeasuredColumn<Row>[]): Line[] {
  const margin = Math.max(...columns.map(({ title }) => displayWidth(title)));
  const block = (row: Row, index: number) =>
    columns.map(({ column, title, cells }): Line => [
      { style: 'bold', text: padToWidth(title, margin) },
      '  ',
      { style: column.style?.(row), text: cells[index] ?? '' },
    ]);
  return rows.flatMap((row, index) => [...(index === 0 ? [] : ['']), ...block(row, index)]);
}

function measure<Row>(column: Column<Row>, rows: Row[], isTerminal: boolean): MeasuredColumn<Row> {
  const { value, shortValue = value } = column;
  const title = column.title.toUpperCase();
  const cells = rows.map((row) =>
    escapeUnprintable(oneLine((isTerminal ? shortValue : value)(row))),
  );
  return { column, title, cells, width: Math.max(displayWidth(title), ...cells.map(displayWidth)) };
}

/** Narrows the widest column step by step, but none below its title or `minWidth`. Undefined if the columns cannot fit. */
function shrinkToFit<Row>(
  measured: MeasuredColumn<Row>[],
  width: number,
  minWidth: number,
): MeasuredColumn<Row>[] | undefined {
  const columns = measured.map((column) => ({ ...column }));
  let excess = columns.reduce((sum, column) => sum + column.width + gap, -gap) - width;
  for (; excess > 0; excess -= 1) {
    const [widest] = columns
      .filter(
        ({ column, title, width: current }) =>
          !column.neverTruncate && current > Math.max(minWidth, displayWidth(title)),
      )
      .sort((first, second) => second.width - first.width);
    if (!widest) return undefined;
    widest.width -= 1;
  }
  return columns;
}

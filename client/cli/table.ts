/** Tables that fit the terminal: wide columns are truncated first, then minor ones hidden; at last, rows become blocks. */
import type { Line, Style } from './styled-line.js';
import { displayWidth, escapeUnprintable, oneLine, padToWidth, truncate } from './text.js';
import { formatRelativeTime, formatTimestamp } from './time.js';

export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
  /** A shorter form for terminals; where the output is not a terminal, the value is printed. */
  shortValue?: (row: Row) => string;
  /** For what must stay complete, such as an id that will be copied. */
  neverTruncate?: boolean;
  /** Left out if the terminal is too narrow for all columns. */
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

/** A column with its formatted cells and its width. */
interface MeasuredColumn<Row> {
  column: Column<Row>;
  title: string;
  cells: string[];
  width: number;
}

const gap = 2;

/** Columns are not truncated below this width while hiding others helps. */
const preferredMinWidth = 20;

/** Without a terminal there is no width, and nothing is truncated. */
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

/** A line for the titles, and one for each row. */
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

/** A block of lines for each row, one for each column. */
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

/** Narrows the widest column step by step, none below its title or that width. Undefined if the columns cannot fit. */
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

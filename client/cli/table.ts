/** Tables that fit the terminal: wide columns give way first, then minor ones; at last, rows become blocks. */
import type { Style, Terminal } from './terminal.js';
import { fit, oneLine, padded, widthOf } from './text.js';

export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
  /** A shorter form for the eyes of a person; programs that read a table get the value. */
  brief?: (row: Row) => string;
  /** What must not be cut, such as an id that will be copied. */
  isWhole?: boolean;
  /** What is left out where there is no room for everything. */
  isMinor?: boolean;
  style?: (row: Row) => Style | undefined;
}

/** A column with its texts. */
interface Filled<Row> {
  column: Column<Row>;
  title: string;
  cells: string[];
  width: number;
}

const gap = 2;

/** Narrower than this, hardly anything says what it is. */
const legible = 20;

/** Where nobody looks, the terminal has no width, and nothing is cut. */
export function formatTable<Row>(
  rows: Row[],
  columns: Column<Row>[],
  { columns: width, paint }: Pick<Terminal, 'columns' | 'paint'>,
): string {
  const filled = columns.map((column) => fill(column, rows, width !== undefined));
  const major = filled.filter(({ column }) => !column.isMinor);
  const fitting =
    width === undefined
      ? filled
      : (shrunk(filled, width, legible) ??
        shrunk(major, width, legible) ??
        shrunk(major, width, 0));
  const bold = (text: string) => paint('bold', text);
  const dressed = (text: string, style: Style | undefined) => (style ? paint(style, text) : text);
  if (!fitting) {
    const margin = Math.max(...filled.map(({ title }) => widthOf(title)));
    const block = (row: Row, at: number) =>
      filled.map(({ column, title, cells }) =>
        `${bold(padded(title, margin))}  ${dressed(cells[at] ?? '', column.style?.(row))}`.trimEnd(),
      );
    return rows.map((row, at) => block(row, at).join('\n')).join('\n\n');
  }
  const line = (
    textOf: (one: Filled<Row>) => string,
    styleOf: (one: Filled<Row>) => Style | undefined,
  ) =>
    fitting
      .map((one, index) => {
        const cut = fit(textOf(one), one.width);
        const isLast = index === fitting.length - 1;
        // Colours come before the padding: they have no width, and blanks need none.
        return (
          dressed(cut, styleOf(one)) + (isLast ? '' : ' '.repeat(one.width - widthOf(cut) + gap))
        );
      })
      .join('')
      .trimEnd();
  return [
    line(
      ({ title }) => title,
      () => 'bold',
    ),
    ...rows.map((row, at) =>
      line(
        ({ cells }) => cells[at] ?? '',
        ({ column }) => column.style?.(row),
      ),
    ),
  ].join('\n');
}

function fill<Row>(column: Column<Row>, rows: Row[], isForEyes: boolean): Filled<Row> {
  const { value, brief = value } = column;
  const title = column.title.toUpperCase();
  const cells = rows.map((row) => oneLine((isForEyes ? brief : value)(row)));
  return { column, title, cells, width: Math.max(widthOf(title), ...cells.map(widthOf)) };
}

/**
 * Takes from the widest, one by one, but no column becomes narrower than its title, or than that. Undefined where it is
 * not enough.
 */
function shrunk<Row>(
  filled: Filled<Row>[],
  width: number,
  narrowest: number,
): Filled<Row>[] | undefined {
  const columns = filled.map((one) => ({ ...one }));
  let excess = columns.reduce((sum, one) => sum + one.width + gap, -gap) - width;
  for (; excess > 0; excess -= 1) {
    const [widest] = columns
      .filter((one) => !one.column.isWhole && one.width > Math.max(narrowest, widthOf(one.title)))
      .sort((one, other) => other.width - one.width);
    if (!widest) return undefined;
    widest.width -= 1;
  }
  return columns;
}

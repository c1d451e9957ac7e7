/** Tables that fit the terminal: where they do not, the widest columns give way first. */
import { fit, oneLine, padded, widthOf } from './text.js';

export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
  /** What must not be cut, such as an id that will be copied. */
  isWhole?: boolean;
  paint?: (text: string, row: Row) => string;
}

const gap = 2;

/** `width` is that of the terminal; undefined where nobody looks, and nothing is cut. */
export function formatTable<Row>(
  rows: Row[],
  columns: Column<Row>[],
  width: number | undefined,
  bold: (text: string) => string,
): string {
  const cells = rows.map((row) => columns.map(({ value }) => oneLine(value(row))));
  const natural = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...cells.map((line) => widthOf(line[index] ?? ''))),
  );
  const widths = width === undefined ? natural : shrunk(natural, columns, width);
  const line = (texts: string[], paint: (text: string, index: number) => string) =>
    texts
      .map((text, index) => {
        const isLast = index === texts.length - 1;
        const cut = fit(text, widths[index] ?? 0);
        // Colours come last: they have no width.
        return paint(isLast ? cut : padded(cut, widths[index] ?? 0), index);
      })
      .join(' '.repeat(gap))
      .trimEnd();
  const titles = columns.map(({ title }) => title.toUpperCase());
  return [
    line(titles, bold),
    ...rows.map((row, at) =>
      line(cells[at] ?? [], (text, index) => columns[index]?.paint?.(text, row) ?? text),
    ),
  ].join('\n');
}

function shrunk(natural: number[], columns: { isWhole?: boolean }[], width: number): number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, one) => sum + one, 0) + gap * (widths.length - 1);
  while (total() > width) {
    const candidates = widths.flatMap((one, index) =>
      columns[index]?.isWhole || one <= 4 ? [] : [index],
    );
    const [widest] = candidates.sort((one, other) => (widths[other] ?? 0) - (widths[one] ?? 0));
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

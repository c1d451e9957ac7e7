/** Computes which rows of a long list are visible. */

export interface VisibleRows {
  first: number;
  /** Exclusive. */
  end: number;
}

/** Extra rows above and below the visible part, so that fast scrolling shows no gaps. */
const margin = 12;

/** The largest number of rows that `visibleRows` returns at this height. */
export function maxVisibleRows(rowHeight: number, height: number): number {
  return Math.ceil(height / rowHeight) + 2 * margin + 2;
}

export function visibleRows(
  rowCount: number,
  rowHeight: number,
  scrollTop: number,
  height: number,
): VisibleRows {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - margin);
  const end = Math.min(rowCount, Math.ceil((scrollTop + height) / rowHeight) + margin);
  return { first: Math.min(first, end), end };
}

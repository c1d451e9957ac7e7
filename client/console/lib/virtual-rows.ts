/** Which rows of a long list are in sight: only these are in the document. */

export interface VisibleRows {
  first: number;
  /** Exclusive. */
  end: number;
}

/** Rows above and below the visible part, so that a quick scroll meets no gap. */
const margin = 12;

/** How many rows `visibleRows` ever returns at this height. */
export function maxVisibleRows(rowHeight: number, height: number): number {
  return Math.ceil(height / rowHeight) + 2 * margin + 2;
}

export function visibleRows(
  count: number,
  rowHeight: number,
  scrollTop: number,
  height: number,
): VisibleRows {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - margin);
  const end = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + margin);
  return { first: Math.min(first, end), end };
}

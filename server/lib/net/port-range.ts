/** Parses ports and port ranges: `443` or `8000-8999`. */

export interface PortRange {
  first: number;
  last: number;
}

/** Undefined if the text is neither a port nor a range. */
export function parsePortRange(text: string): PortRange | undefined {
  const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to)];
  return first >= 1 && first <= last && last <= 65_535 ? { first, last } : undefined;
}

export function isWithin(ranges: readonly PortRange[], port: number): boolean {
  return ranges.some(({ first, last }) => port >= first && port <= last);
}

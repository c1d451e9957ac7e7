/** Encodes the parts of a URL that callers choose. */

/** Ids come from users, so none of them may lead to another path. */
export function encodePathSegment(value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new TypeError(`Not an id: '${value}'`);
  return encodeURIComponent(value);
}

/** The parameters of the contract are single values. */
export function queryString(query: object = {}): string {
  const entries = Object.entries(query) as [string, string | number | boolean | undefined][];
  const pairs = entries.flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`,
  );
  return pairs[0] ? `?${pairs.join('&')}` : '';
}

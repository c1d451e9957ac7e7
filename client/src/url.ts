/** Encodes the parts of a URL that callers choose. */
import { createQuerySerializer } from 'openapi-fetch';

/** Ids come from users, so none of them may lead to another path. */
export function encodePathSegment(value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new TypeError(`Not an id: '${value}'`);
  return encodeURIComponent(value);
}

export function queryString(query: object | undefined): string {
  return query ? `?${createQuerySerializer()(query)}` : '';
}

/** The page of a list that a request asks for: filtered, sorted and cut. */

import { paginationOf } from '../../server/domain/page.js';
import { rangeOf } from '../../server/domain/time-range.js';
import { isObject, type JsonObject } from '../lib/json.js';
import type { MockRequest } from './reflect.js';
import { idPrefix } from './values.js';

/** What the items of a list must have, and how one is changed to have it. */
interface Filter {
  matches: (item: JsonObject) => boolean;
  apply: (item: JsonObject) => JsonObject;
}

export function pageOf(items: JsonObject[], { query, body }: MockRequest): JsonObject {
  const { limit, offset, sort, filter, start_time, end_time, ...fields } = { ...query, ...body };
  const filters = [
    ...timeFilters({ start_time, end_time }),
    ...Object.entries({ ...fields, ...(isObject(filter) ? filter : {}) }).map(fieldFilter),
  ];
  const matching = items.filter((item) => filters.every(({ matches }) => matches(item)));
  // An empty list would show nobody what its items look like.
  const [first] = items;
  const found =
    matching.length === 0 && first
      ? [filters.reduce((item, { apply }) => apply(item), first)]
      : matching;
  const page = { limit: Number(limit), offset: Number(offset ?? 0) };
  const data = sorted(found, sort).slice(page.offset, page.offset + page.limit);
  return { data, pagination: paginationOf(page, { items: data, total: found.length }) };
}

function timeFilters(bounds: Record<'start_time' | 'end_time', unknown>): Filter[] {
  const given = Object.entries(bounds).filter(([, bound]) => bound !== undefined);
  if (given.length === 0) return [];
  const { from, to } = rangeOf(Object.fromEntries(given), {
    from: () => -Infinity,
    to: Infinity,
  });
  const inside = Number.isFinite(from) ? from : to - 1000;
  return [
    {
      matches: ({ timestamp }) => {
        const time = Date.parse(String(timestamp));
        return time >= from && time < to;
      },
      apply: (item) => ({ ...item, timestamp: new Date(inside).toISOString() }),
    },
  ];
}

/** By a field of the items or of their metadata. `event` is one of `events`. */
function fieldFilter([name, value]: [string, unknown]): Filter {
  return {
    matches: (item) => {
      const { metadata, [name]: own, [`${name}s`]: list } = item;
      if (Array.isArray(list)) return list.includes(value);
      if (isObject(metadata) && name in metadata) return metadata[name] === value;
      return own === undefined || own === value || isOtherKind(own, value);
    },
    apply: (item) => {
      const { metadata, [name]: own, [`${name}s`]: list } = item;
      if (Array.isArray(list)) return { ...item, [`${name}s`]: [value] };
      if (isObject(metadata) && name in metadata) {
        return { ...item, metadata: { ...metadata, [name]: value } };
      }
      return own === undefined || isOtherKind(own, value) ? item : { ...item, [name]: value };
    },
  };
}

/** An agent that is named in a filter cannot be compared with an id. */
function isOtherKind(own: unknown, value: unknown): boolean {
  return idPrefix(own) !== undefined && idPrefix(value) === undefined;
}

function sorted(items: JsonObject[], sort: unknown): JsonObject[] {
  if (typeof sort !== 'string') return items;
  const isDescending = sort.startsWith('-');
  const field = isDescending ? sort.slice(1) : sort;
  const ascending = items.toSorted((one, other) =>
    String(one[field]) < String(other[field]) ? -1 : 1,
  );
  return isDescending ? ascending.reverse() : ascending;
}

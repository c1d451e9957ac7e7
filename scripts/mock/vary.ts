/** Varies an example so that it looks like live data: new ids, times near now, longer lists, other counts. */

import { type IdPrefix, newId } from '../../server/lib/data/typeid.js';
import { isObject, type JsonObject, mapLeaves } from '../lib/json.js';
import { idPrefix, isTime } from './reflect.js';

const listLength = 30;
const hourMs = 3_600_000;

export function vary(answer: JsonObject): JsonObject {
  const times = timesIn(answer);
  const [newest, oldest] = [Math.max(...times), Math.min(...times)];
  const ids = new Map<string, string>();
  /** `round` is how often the example was already used in the list; each use is older than the previous one. */
  const varied = (item: JsonObject, round: number, index?: number): JsonObject => {
    const shift = Date.now() - newest - round * (newest - oldest + hourMs);
    const factor = 0.7 + 0.5 * Math.random();
    return mapLeaves(item, (leaf, key) => {
      if (typeof leaf === 'number' && isCount(key)) return scaled(leaf, factor);
      if (typeof leaf !== 'string') return leaf;
      if (idPrefix(leaf)) return renamed(ids, leaf, isShared(key) ? 0 : round);
      if (isTime(leaf) && !isFuture(key)) return new Date(Date.parse(leaf) + shift).toISOString();
      if (index !== undefined && ownTexts[key]) return ownTexts[key](leaf, index);
      // The text of a log entry must match its metadata.
      return leaf.replaceAll(/\d+(?= ms)/g, (count) => String(scaled(Number(count), factor)));
    });
  };
  const lengthened = (list: unknown[]) => {
    const items = list.filter(isObject);
    return Array.from({ length: listLength }, (_, index) =>
      varied(items[index % items.length] ?? {}, Math.floor(index / items.length), index),
    );
  };
  const { data } = answer;
  if (Array.isArray(data)) return { ...answer, data: lengthened(data) };
  if (isObject(data) && Array.isArray(data['values'])) {
    return { ...answer, data: { ...data, values: lengthened(data['values']) } };
  }
  return varied(answer, 0);
}

/** Ids that all items of a list share; any other belongs to one round. */
const isShared = (key: string) => key === 'agent_id' || key === 'created_by';
const isCount = (key: string) => /_ms$|^(tokens_used|score|value)$|_count$/.test(key);
/** Times in the future of the example. */
const isFuture = (key: string) => key === 'expires_at';

function timesIn(value: unknown, key = ''): number[] {
  if (isTime(value)) return isFuture(key) ? [] : [Date.parse(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => timesIn(member, name));
}

function renamed(ids: Map<string, string>, id: string, round: number): string {
  const key = `${round} ${id}`;
  const name = ids.get(key) ?? newId(idPrefix(id) as IdPrefix);
  ids.set(key, name);
  return name;
}

/** Integers stay integers. */
function scaled(value: number, factor: number): number {
  const product = value * factor;
  return Number.isInteger(value) ? Math.ceil(product) : Math.round(product * 1000) / 1000;
}

/** Texts that must be unique within a list. */
const ownTexts: Record<string, ((text: string, index: number) => string) | undefined> = {
  name: (name, index) => `${name}${name.includes(' ') ? ' ' : '-'}${index + 1}`,
  url: (url, index) => `${url}/${index + 1}`,
  version: (_version, index) => `1.${listLength - index}.0`,
  status: (status, index) => (status === 'active' && index > 0 ? 'superseded' : status),
};

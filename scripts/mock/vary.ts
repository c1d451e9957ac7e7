/** Varies an example so that it looks like live data: new ids, times near now, and other names and counts. */

import { type IdPrefix, newId } from '../../server/lib/typeid.js';
import { isObject, type JsonObject } from '../lib/json.js';
import { idPrefix, isTime } from './values.js';

/** How long lists become. */
const listLength = 30;
const hourMs = 3_600_000;

export function vary(answer: JsonObject): JsonObject {
  const times = timesIn(answer);
  // The newest is some seconds ago.
  const shift = Date.now() - Math.max(...times) - Math.random() * 30_000;
  const rename = createRenamer();
  const vary = (item: JsonObject, round = 0, index?: number) =>
    varied(item, { round, index, shift: shift - round * spanOf(times), rename });
  const lengthen = (list: unknown) => {
    const items = Array.isArray(list) ? list.filter(isObject) : [];
    return Array.from({ length: listLength }, (_, index) =>
      vary(items[index % items.length] ?? {}, Math.floor(index / items.length), index),
    );
  };
  const { data } = answer;
  if (Array.isArray(data)) return { ...answer, data: lengthen(data) };
  if (isObject(data) && Array.isArray(data['values'])) {
    return { ...answer, data: { ...data, values: lengthen(data['values']) } };
  }
  return vary(answer);
}

interface Variation {
  /** How often the example was used before in the same list. */
  round: number;
  /** The place in a list. */
  index: number | undefined;
  /** In milliseconds. */
  shift: number;
  rename: (id: string, round: number) => string;
}

function createRenamer(): Variation['rename'] {
  const known = new Map<string, string>();
  return (id, round) => {
    const key = `${round} ${id}`;
    const name = known.get(key) ?? newId(idPrefix(id) as IdPrefix);
    known.set(key, name);
    return name;
  };
}

/** Ids that a whole list has in common; any other belongs to one round. */
const isShared = (key: string) => key === 'agent_id' || key === 'created_by';
const isCount = (key: string) => /_ms$|^(tokens_used|score|value)$|_count$/.test(key);
/** What lies in the future of the example, as the end of a key does. */
const isFuture = (key: string) => key === 'expires_at';

function varied(item: JsonObject, { round, index, shift, rename }: Variation): JsonObject {
  const factor = 0.7 + 0.5 * Math.random();
  const varyMember = (key: string, value: unknown): unknown => {
    if (isObject(value)) return varyMembers(value);
    if (typeof value === 'number' && isCount(key)) return scaled(value, factor);
    if (typeof value !== 'string') return value;
    if (idPrefix(value)) return rename(value, isShared(key) ? 0 : round);
    if (isTime(value) && !isFuture(key)) return new Date(Date.parse(value) + shift).toISOString();
    if (index !== undefined && ownTexts[key]) return ownTexts[key](value, index);
    // The text of a log entry says what its metadata says.
    return value.replaceAll(/\d+(?= ms)/g, (count) => String(scaled(Number(count), factor)));
  };
  const varyMembers = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [key, varyMember(key, value)]));
  return varyMembers(item);
}

function scaled(value: number, factor: number): number {
  const scaled = value * factor;
  return Number.isInteger(value) ? Math.ceil(scaled) : Math.round(scaled * 1000) / 1000;
}

const agentNames = combined(
  [
    'support',
    'billing',
    'onboarding',
    'returns',
    'shipping',
    'sales',
    'travel',
    'legal',
    'survey',
    'hiring',
  ],
  ['-bot', '-helper', '-desk'],
);
const titles = combined(
  [
    'Help desk',
    'Release',
    'Website',
    'Warehouse',
    'Mobile',
    'Partner',
    'Night',
    'Reporting',
    'Payroll',
    'Sales',
  ],
  [' backend', ' pipeline', ' import'],
);

/** What no two items of a list have in common. */
const ownTexts: Record<string, ((text: string, index: number) => string) | undefined> = {
  name: (name, index) => (name.includes(' ') ? titles : agentNames)[index] ?? name,
  url: (url, index) => `${url}/${index + 1}`,
  version: (_version, index) => `1.${listLength - index}.0`,
  status: (status, index) => (status === 'active' && index > 0 ? 'superseded' : status),
};

function combined(firsts: string[], lasts: string[]): string[] {
  return lasts.flatMap((last) => firsts.map((first) => first + last));
}

function timesIn(value: unknown, key = ''): number[] {
  if (isTime(value)) return isFuture(key) ? [] : [Date.parse(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => timesIn(member, name));
}

/** How much older each round of a list is than the one before. */
function spanOf(times: number[]): number {
  return Math.max(...times) - Math.min(...times) + hourMs;
}

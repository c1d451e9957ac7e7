/** The worst bodies of legal size: for every position in a schema, the values that are slowest to validate. */
import { isObject, type JsonObject } from '../../scripts/lib/json.js';

export interface WorstBody {
  /** The position and its content: `context.user_id: a string of spaces`. */
  name: string;
  text: string;
}

const hole = '"@hole"';

/** JSON texts close to the size limit, whatever the schema allows. */
const fillings: Record<string, (bytes: number) => string> = {
  'an array of numbers': (bytes) => `[${fill(bytes, (n) => String(n))}]`,
  'an array of equal numbers': (bytes) => `[${'1,'.repeat(bytes / 2 - 2)}1]`,
  'an array of objects': (bytes) => `[${fill(bytes, (n) => `{"${n}":${n}}`)}]`,
  'an array of empty arrays': (bytes) => `[${'[],'.repeat(bytes / 3 - 2)}[]]`,
  'an object of numbers': (bytes) => `{${fill(bytes, (n) => `"${n}":1`)}}`,
  'an object of long names': (bytes) =>
    `{${fill(bytes, (n) => `"${'n'.repeat(200)}${n}":"${'v'.repeat(200)}"`)}}`,
  'deep arrays': (bytes) => `${'['.repeat(bytes / 2 - 1)}${']'.repeat(bytes / 2 - 1)}`,
  'deep objects': (bytes) => `${'{"a":'.repeat(bytes / 6 - 1)}1${'}'.repeat(bytes / 6 - 1)}`,
  'a string of letters': (bytes) => `"${'a'.repeat(bytes)}"`,
  'a string of spaces': (bytes) => `"${' '.repeat(bytes - 1)}!"`,
  'a string of dots and dashes': (bytes) => `"${'a-.'.repeat(bytes / 3)}!"`,
  'a string of escapes': (bytes) => `"${String.raw`\u00e9`.repeat(bytes / 6)}"`,
  'a string of surrogate pairs': (bytes) => `"${'😀'.repeat(bytes / 4)}"`,
  'a number of digits': (bytes) => '9'.repeat(bytes),
  'a URL of labels': (bytes) => `"https://${'a.'.repeat(bytes / 2 - 10)}"`,
};

/** `example` is a valid body, so that validation reaches the position. */
export function worstBodies(schema: JsonObject, example: unknown, maxBytes: number): WorstBody[] {
  return placesIn(schema).flatMap((place) => {
    const around = JSON.stringify(place.length === 0 ? '@hole' : put(example, place, '@hole'));
    const bytes = maxBytes - Buffer.byteLength(around);
    return Object.entries(fillings).map(([name, filling]) => ({
      name: `${place.join('.') || 'body'}: ${name}`,
      text: around.replace(hole, () => filling(bytes)),
    }));
  });
}

/** The body itself, every property at any depth, and the items of every array. */
function placesIn(schema: JsonObject, place: string[] = []): string[][] {
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return [
    place,
    ...properties.flatMap(([name, inner]) => placesIn(inner as JsonObject, [...place, name])),
    ...(isObject(schema['items']) ? placesIn(schema['items'], [...place, '0']) : []),
    ...(schema['additionalProperties'] === true ? [[...place, 'other']] : []),
  ];
}

function put(whole: unknown, [name = '', ...rest]: string[], value: unknown): unknown {
  if (name === '0') return [rest.length === 0 ? value : put(undefined, rest, value)];
  const object = isObject(whole) ? whole : {};
  return { ...object, [name]: rest.length === 0 ? value : put(object[name], rest, value) };
}

/** Elements separated by commas, up to this many bytes. */
function fill(bytes: number, element: (n: number) => string): string {
  const elements: string[] = [];
  for (let n = 0, length = 0; ; n += 1) {
    const next = element(n);
    length += next.length + 1;
    if (length >= bytes - 2) return elements.join(',');
    elements.push(next);
  }
}

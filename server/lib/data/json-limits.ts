/** Limits the size and depth of untrusted JSON. */

interface JsonLimits {
  /** The length as UTF-8. */
  bytes: number;
  /** Nested levels of objects and arrays. */
  depth: number;
  /** The number of all properties and array items. */
  members: number;
}

/** Describes the exceeded limit, such as "is nested more than 64 levels deep"; undefined if there is none. */
export function exceededLimit(value: object, { bytes, depth, members }: JsonLimits): string | undefined {
  let level: object[] = [value];
  let found = 0;
  for (let depthOfLevel = 1; level.length > 0; depthOfLevel += 1) {
    if (depthOfLevel > depth) return `is nested more than ${depth} levels deep`;
    const values = level.flatMap((own): unknown[] => Object.values(own));
    found += values.length;
    if (found > members) return `has more than ${members} properties and items`;
    level = values.filter((own) => typeof own === 'object' && own !== null);
  }
  // Checked last: JSON.stringify fails if the value is nested too deeply.
  const written = Buffer.byteLength(JSON.stringify(value));
  return written > bytes ? `has ${written} bytes, more than the limit of ${bytes}` : undefined;
}

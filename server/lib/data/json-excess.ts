/** Measures JSON from outside, before anything is done with it that its size or its depth could break. */

export interface JsonLimits {
  /** As UTF-8. */
  bytes: number;
  /** Levels of objects and arrays. */
  depth: number;
  /** The properties of all objects and the items of all arrays. */
  members: number;
}

/** Says which limit a value exceeds, as in "is nested more than 64 levels deep". Undefined: none. */
export function excessOf(value: object, { bytes, depth, members }: JsonLimits): string | undefined {
  let level: object[] = [value];
  let found = 0;
  for (let depthOfLevel = 1; level.length > 0; depthOfLevel += 1) {
    if (depthOfLevel > depth) return `is nested more than ${depth} levels deep`;
    const values = level.flatMap((own): unknown[] => Object.values(own));
    found += values.length;
    if (found > members) return `has more than ${members} properties and items`;
    level = values.filter((own) => typeof own === 'object' && own !== null);
  }
  // Last, since only JSON that is not too deep can be written without an error.
  const written = Buffer.byteLength(JSON.stringify(value));
  return written > bytes ? `has ${written} bytes, which is more than ${bytes}` : undefined;
}

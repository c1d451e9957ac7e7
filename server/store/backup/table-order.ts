/** Orders tables so that each comes after those that its foreign keys lead to. */
import type { CatalogueTable } from './copy.sql.js';

/** Throws if foreign keys lead in a circle, which no order can satisfy. */
export function inOrderOfReferences(tables: readonly CatalogueTable[]): CatalogueTable[] {
  const ordered: CatalogueTable[] = [];
  let remaining = [...tables];
  while (remaining.length > 0) {
    const names = new Set(remaining.map(({ name }) => name));
    const isFree = ({ references }: CatalogueTable) => references.every((name) => !names.has(name));
    const free = remaining.filter(isFree);
    if (free.length === 0) {
      throw new Error(`Foreign keys lead in a circle: ${[...names].join(', ')}.`);
    }
    ordered.push(...free);
    remaining = remaining.filter((table) => !free.includes(table));
  }
  return ordered;
}

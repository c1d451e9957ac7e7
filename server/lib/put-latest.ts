/** Puts an item into a map that keeps so many of the latest. */

/** A Map keeps insertion order, and every use reinserts: the first key is the least recently used. */
export function putLatest<Item>(
  items: Map<string, Item>,
  key: string,
  item: Item,
  max: number,
): void {
  items.delete(key);
  items.set(key, item);
  const oldest = items.keys().next();
  if (items.size > max && oldest.done !== true) items.delete(oldest.value);
}

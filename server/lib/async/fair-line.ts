/** Entries of several owners that wait for the same thing. Owners are served in rotation, the entries of each in order. */
export class FairLine<Entry> implements Iterable<Entry> {
  /** By owner, in the order in which owners get their next turn. */
  readonly #queues = new Map<string, Entry[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  has(owner: string): boolean {
    return this.#queues.has(owner);
  }

  /** An entry that had its turn before may go to the front of its owner's entries. */
  join(owner: string, entry: Entry, place: 'back' | 'front' = 'back'): void {
    const queue = this.#queues.get(owner);
    if (!queue) this.#queues.set(owner, [entry]);
    else if (place === 'front') queue.unshift(entry);
    else queue.push(entry);
    this.#length += 1;
  }

  leave(owner: string, entry: Entry): void {
    const queue = this.#queues.get(owner);
    const index = queue?.indexOf(entry) ?? -1;
    if (!queue || index < 0) return;
    queue.splice(index, 1);
    if (queue.length === 0) this.#queues.delete(owner);
    this.#length -= 1;
  }

  /** Removes the next entry, of the first owner that may have a turn, and returns it. */
  next(mayHaveTurn: (owner: string) => boolean = () => true): Entry | undefined {
    for (const [owner, queue] of this.#queues) {
      if (!mayHaveTurn(owner)) continue;
      const entry = queue.shift();
      // Moves the owner to the end of the map, so that the others get their turn first.
      this.#queues.delete(owner);
      if (queue.length > 0) this.#queues.set(owner, queue);
      this.#length -= 1;
      return entry;
    }
    return undefined;
  }

  *[Symbol.iterator](): Iterator<Entry> {
    for (const queue of this.#queues.values()) yield* queue;
  }
}

/** A number for each key. A key that is back at 0 takes no memory. */
export class Counts {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, amount: number): void {
    const sum = this.of(key) + amount;
    if (sum === 0) this.#counts.delete(key);
    else this.#counts.set(key, sum);
  }
}

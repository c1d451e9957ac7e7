/**
 * Thins out log lines that repeat: an outage fails thousands of requests a second in the same way. Of each kind of line, the first is
 * written at once, and then one a second with the number of those that are left out.
 */
const intervalMs = 1_000;

/** `repeated` is the number of lines of the kind that are left out since the line before; undefined: none. */
type WriteLine = (repeated: number | undefined) => void;

export class RepeatedLines {
  /** The kinds of which a line was written within the last second, with the latest line since then and the number before it. */
  readonly #kinds = new Map<string, { latest?: WriteLine; omitted: number }>();

  write(kind: string, line: WriteLine): void {
    const recent = this.#kinds.get(kind);
    if (!recent) {
      this.#writeNow(kind, line, 0);
    } else {
      if (recent.latest) recent.omitted += 1;
      recent.latest = line;
    }
  }

  #writeNow(kind: string, line: WriteLine, omitted: number): void {
    const recent: { latest?: WriteLine; omitted: number } = { omitted: 0 };
    this.#kinds.set(kind, recent);
    setTimeout(() => {
      if (recent.latest) this.#writeNow(kind, recent.latest, recent.omitted);
      else this.#kinds.delete(kind);
    }, intervalMs).unref();
    line(omitted === 0 ? undefined : omitted);
  }
}

/** What a stream has delivered, so that a repeat of its request, which begins anew, delivers only what follows. */
import type { InvocationStreamEvent } from './invocation.js';

export class Delivered {
  #text = '';
  /** How much of the text the current stream has repeated or added. */
  #position = 0;
  /** The name of each tool call, and what was said of it. */
  readonly #calls: Record<string, string[]> = {};
  isEmpty = true;
  /** Only a run that has called a tool goes on. Others begin again, and would say something else. */
  hasCalls = false;

  /** The next stream begins anew. */
  restart(): void {
    this.#position = 0;
  }

  /**
   * The part of an event that was not delivered before, if there is any. Null if the event cannot follow what was
   * delivered: the agent says or does something else this time.
   */
  add(given: InvocationStreamEvent): InvocationStreamEvent | undefined | null {
    const { event, data } = given;
    this.isEmpty = false;
    if (event === 'done') return this.#position < this.#text.length ? null : given;
    if (event === 'tool') {
      this.hasCalls = true;
      const { call_id, name, status } = data;
      const seen = (this.#calls[call_id] ??= [name]);
      if (seen[0] !== name) return null;
      if (seen.includes(status, 1)) return undefined;
      seen.push(status);
      return given;
    }
    const known = this.#text.slice(this.#position, this.#position + data.text.length);
    if (!data.text.startsWith(known)) return null;
    const text = data.text.slice(known.length);
    this.#text += text;
    this.#position += data.text.length;
    return text ? { ...given, data: { text } } : undefined;
  }
}

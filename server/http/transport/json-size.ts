/**
 * Counts the values of a JSON text before it is parsed. Their number, not their size, determines how long parsing,
 * validating and storing them occupies the event loop that all requests share.
 */

export const maxValues = 10_000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
/** `[` and `{` differ only in this bit. */
const caseBit = 0x20;
const brace = 0x7b;

/** Counts keys as values, up to one more than `maxValues`. Invalid JSON is left for the parser to reject. */
export function countValues(text: Buffer): number {
  let values = 1;
  for (let at = 0; at < text.length && values <= maxValues; at += 1) {
    const byte = text[at] ?? 0;
    if (byte === quote) at = endOfString(text, at + 1);
    else if (byte === comma || byte === colon || (byte | caseBit) === brace) values += 1;
  }
  return values;
}

/** A loop is faster over short distances, a native search over long ones. */
const shortDistance = 64;

/** The index of the closing quote of a string whose content begins at `start`. */
function endOfString(text: Buffer, start: number): number {
  for (let at = start; ;) {
    for (let end = at + shortDistance; at < end; at += 1) {
      const byte = text[at];
      if (byte === undefined || byte === quote) return at;
      if (byte === backslash) {
        at += 1;
        end = at + shortDistance;
      }
    }
    const closing = text.indexOf(quote, at);
    if (closing < 0) return text.length;
    const escape = text.subarray(at, closing).indexOf(backslash);
    if (escape < 0) return closing;
    at += escape;
  }
}

/**
 * Counts the values of a JSON text before it is parsed. Their number, not their size, decides how long parsing,
 * validating and storing them takes, and all of that happens on the event loop that every other request shares.
 */

export const maxValues = 10_000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
/** `[` and `{` differ in this bit alone. */
const caseBit = 0x20;
const brace = 0x7b;

/** Keys count as values. Stops at one more than `maxValues`. What is not JSON is left for the parser to refuse. */
export function countValues(text: Buffer): number {
  let values = 1;
  for (let at = 0; at < text.length && values <= maxValues; at += 1) {
    const byte = text[at] ?? 0;
    if (byte === quote) at = endOfString(text, at + 1);
    else if (byte === comma || byte === colon || (byte | caseBit) === brace) values += 1;
  }
  return values;
}

/** A search in native code is quick over long distances, a loop over short ones. */
const shortDistance = 64;

/** Where the string ends that goes on at `start`. */
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

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
export function countValues(text: Uint8Array): number {
  let values = 1;
  let isInString = false;
  for (let at = 0; at < text.length && values <= maxValues; at += 1) {
    const byte = text[at] ?? 0;
    if (isInString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) {
      isInString = true;
    } else if (byte === comma || byte === colon || (byte | caseBit) === brace) {
      values += 1;
    }
  }
  return values;
}

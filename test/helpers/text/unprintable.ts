/** Characters that must never reach a terminal unescaped, listed independently of the contract. */

const ranges: [number, number][] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0x61c, 0x61c],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2060],
  [0x2066, 0x2069],
  [0xfeff, 0xfeff],
];

export const unprintable: string[] = ranges.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index)),
);

/** Clears the screen, sets the title, forges a line and reverses the rest, as an earlier release could have stored it. */
export const hostileName =
  'a\u001b[2J\u001b]0;title\u0007\u009b31m\r\nforged\u2028row\u202ecod\u200b';

/** The first unprintable character of a text, except line feeds. */
export function firstUnprintable(text: string): string | undefined {
  const forbidden = new Set(unprintable);
  const found = Array.from(text).find(
    (character) => character !== '\n' && forbidden.has(character),
  );
  return found === undefined ? undefined : JSON.stringify(found);
}

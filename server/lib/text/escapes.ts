/** Decodes the escapes of URLs, JSON and HTML, and maps positions back to the original text. */

const escapes =
  /%[\da-f]{2}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\["'/\\]|&(?:#\d{1,5}|#x[\da-f]{1,4}|amp|lt|gt|quot|apos);/gi;

/** The length of `&#x0041;`. */
export const maxEscapeLength = 8;

const named = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
]);

interface Unescaped {
  text: string;
  /** The position in the original. Must be called with ascending positions. */
  originOf: (position: number) => number;
}

export function unescaped(original: string): Unescaped {
  const ends: { read: number; original: number }[] = [];
  let removed = 0;
  const text = original.replace(escapes, (escape, index: number) => {
    removed += escape.length - 1;
    const end = index + escape.length;
    ends.push({ read: end - removed, original: end });
    return characterOf(escape);
  });
  let passed = 0;
  const originOf = (position: number) => {
    while ((ends[passed]?.read ?? Infinity) <= position) passed += 1;
    const last = ends[passed - 1] ?? { read: 0, original: 0 };
    return last.original + position - last.read;
  };
  return { text, originOf };
}

function characterOf(escape: string): string {
  if (escape.startsWith('%')) return fromCode(escape.slice(1), 16);
  if (escape.startsWith('&#')) {
    const isHex = escape[2]?.toLowerCase() === 'x';
    return isHex ? fromCode(escape.slice(3), 16) : fromCode(escape.slice(2), 10);
  }
  if (escape.startsWith('&')) return named.get(escape.toLowerCase()) ?? escape;
  return escape.length === 2 ? escape.slice(1) : fromCode(escape.slice(2), 16);
}

const fromCode = (digits: string, base: number) => String.fromCharCode(parseInt(digits, base));

/** Parses DER, the encoding of certificates: nested values of a tag, a length and a content. */

export interface DerValue {
  tag: number;
  content: Uint8Array;
}

export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  sequence: 0x30,
} as const;

/** Parses consecutive values; throws a RangeError for bytes that are not DER. */
export function readDer(bytes: Uint8Array): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length;) {
    const { length, start } = lengthAt(bytes, at + 1);
    const end = start + length;
    if (end > bytes.length) throw new RangeError('A DER value is longer than its container.');
    values.push({ tag: bytes[at] ?? 0, content: bytes.subarray(start, end) });
    at = end;
  }
  return values;
}

/** Lengths from 128 on are encoded as a byte count followed by that many bytes. */
function lengthAt(bytes: Uint8Array, at: number): { length: number; start: number } {
  const first = bytes[at];
  if (first === undefined) throw new RangeError('A DER value has no length.');
  if (first < 0x80) return { length: first, start: at + 1 };
  const count = first & 0x7f;
  if (count === 0 || count > 4) throw new RangeError('A DER value has an unsupported length.');
  const start = at + 1 + count;
  const length = bytes.subarray(at + 1, start).reduce((sum, byte) => sum * 256 + byte, 0);
  return { length, start };
}

/** An object identifier in dotted notation. */
export function dottedId({ content }: DerValue): string {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of content) {
    number = number * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(number);
      number = 0;
    }
  }
  const [first = 0, ...rest] = numbers;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...rest].join('.');
}

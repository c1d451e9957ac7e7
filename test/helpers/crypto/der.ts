/** Writes DER, the encoding of certificates: each value is a tag, its length and its content. */

export function der(tag: number, content: Uint8Array | number[]): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.from([tag, ...size, ...content]);
}

export const sequence = (...parts: Uint8Array[]) => der(0x30, Buffer.concat(parts));

export const boolean = (value: boolean) => der(0x01, [value ? 0xff : 0]);

/** Up to 127, which is enough here. */
export const integer = (value: number) => der(0x02, [value]);

export const octets = (content: Uint8Array) => der(0x04, content);

export const utf8 = (text: string) => der(0x0c, Buffer.from(text));

export const time = (date: Date) =>
  der(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`));

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, [first * 40 + second, ...rest.flatMap(base128)]);
}

function base128(number: number): number[] {
  const high = number >> 7;
  return high === 0 ? [number] : [...base128(high).map((byte) => byte | 0x80), number & 0x7f];
}

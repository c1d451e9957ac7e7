/** Makes and recognises TypeIDs: a prefix that names the kind, and a UUIDv7 in base32, so that ids sort by time. */
import { randomFillSync } from 'node:crypto';

export type IdPrefix = 'acct' | 'agent' | 'dep' | 'req' | 'key' | 'wh' | 'evt' | 'mem' | 'log';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const LAST_COUNTER = 0xfff;

const pool = Buffer.alloc(8 * 512);
let poolOffset = pool.length;
let lastTime = 0;
let counter = 0;

/** Ids of one process ascend, also within a millisecond and when the clock is set back. */
export function newId(prefix: IdPrefix): string {
  const now = Date.now();
  const random = randomTail();
  if (now > lastTime) {
    lastTime = now;
    // Half of the counter is left for further ids of the same millisecond.
    counter = random.readUInt16BE(0) & (LAST_COUNTER >> 1);
  } else if (counter === LAST_COUNTER) {
    lastTime += 1;
    counter = 0;
  } else {
    counter += 1;
  }
  const uuid = Buffer.allocUnsafe(16);
  uuid.writeUIntBE(lastTime, 0, 6);
  uuid.writeUInt16BE(0x7000 | counter, 6);
  random.copy(uuid, 8);
  uuid.writeUInt8(0x80 | (uuid.readUInt8(8) & 0x3f), 8);
  return `${prefix}_${encodeSuffix(uuid)}`;
}

export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && SUFFIX.test(text.slice(prefix.length + 1));
}

/** The smallest id of that time: ids below it are older. Pruning walks the primary key up to it. */
export function lowestIdAt(prefix: IdPrefix, time: Date): string {
  const uuid = Buffer.alloc(16);
  uuid.writeUIntBE(time.getTime(), 0, 6);
  return `${prefix}_${encodeSuffix(uuid)}`;
}

/** 16 bytes as 26 characters of five bits each; the first character holds only the three leading bits. */
export function encodeSuffix(uuid: Buffer): string {
  let text = '';
  for (let character = 0; character < 26; character += 1) {
    const firstBit = character * 5 - 2;
    text += ALPHABET.charAt(fiveBits(uuid, firstBit));
  }
  return text;
}

function fiveBits(bytes: Buffer, firstBit: number): number {
  if (firstBit < 0) return bytes.readUInt8(0) >> 5;
  const byte = firstBit >> 3;
  const pair = (bytes.readUInt8(byte) << 8) | (byte < 15 ? bytes.readUInt8(byte + 1) : 0);
  return (pair >> (11 - (firstBit & 7))) & 0x1f;
}

// One call of the system's generator serves hundreds of ids.
function randomTail(): Buffer {
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  poolOffset += 8;
  return pool.subarray(poolOffset - 8, poolOffset);
}

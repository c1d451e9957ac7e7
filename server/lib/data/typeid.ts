/** Generates and validates TypeIDs: a prefix for the kind of resource, and a UUIDv7 in base32. They sort by time. */
import { randomFillSync } from 'node:crypto';
import { currentTime } from '../time/clock.js';

export type IdPrefix = 'acct' | 'agent' | 'dep' | 'req' | 'key' | 'wh' | 'evt' | 'mem' | 'log';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Encoding two characters at a time halves the work. */
const PAIRS = Array.from(ALPHABET, (one) => Array.from(ALPHABET, (other) => one + other)).flat();
const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const LAST_COUNTER = 0xfff;
const RANDOM_BYTES = 8;

const uuid = Buffer.alloc(16);
const pool = Buffer.alloc(RANDOM_BYTES * 512);
let poolOffset = pool.length;
let lastTime = 0;
let counter = 0;

/** Ids of one process ascend, even within a millisecond or when the clock moves backwards. */
export function newId(prefix: IdPrefix): string {
  const now = currentTime();
  const random = nextRandom();
  if (now > lastTime) {
    lastTime = now;
    // Starts in the lower half, to leave space for further ids in the same millisecond.
    counter = pool.readUInt16BE(random) & (LAST_COUNTER >> 1);
  } else if (counter === LAST_COUNTER) {
    lastTime += 1;
    counter = 0;
  } else {
    counter += 1;
  }
  uuid.writeUIntBE(lastTime, 0, 6);
  uuid.writeUInt16BE(0x7000 | counter, 6);
  pool.copy(uuid, 8, random, random + RANDOM_BYTES);
  uuid.writeUInt8(0x80 | (uuid.readUInt8(8) & 0x3f), 8);
  return `${prefix}_${encodeSuffix(uuid)}`;
}

export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && SUFFIX.test(text.slice(prefix.length + 1));
}

/** The smallest possible id at that time; smaller ids are older. */
export function lowestIdAt(prefix: IdPrefix, time: Date): string {
  const lowest = Buffer.alloc(16);
  lowest.writeUIntBE(time.getTime(), 0, 6);
  return `${prefix}_${encodeSuffix(lowest)}`;
}

/** The time at which an id was created, from its first ten characters. The result for an invalid id is arbitrary. */
export function timeOfId(id: string): Date {
  const characters = id.slice(id.indexOf('_') + 1).slice(0, 10);
  const digits = Array.from(characters, (character) => Math.max(0, ALPHABET.indexOf(character)));
  return new Date(digits.reduce((time, digit) => time * ALPHABET.length + digit, 0));
}

/** Encodes 16 bytes as 26 characters of five bits each; the first character has only the three leading bits. */
export function encodeSuffix(uuid: Buffer): string {
  return (
    base32(uuid.readUIntBE(0, 6), 5) +
    base32(uuid.readUIntBE(6, 5), 4) +
    base32(uuid.readUIntBE(11, 5), 4)
  );
}

function base32(number: number, pairs: number): string {
  let text = '';
  let rest = number;
  for (let pair = 0; pair < pairs; pair += 1) {
    text = `${PAIRS[rest % PAIRS.length]}${text}`;
    rest = Math.floor(rest / PAIRS.length);
  }
  return text;
}

/** The offset of unused random bytes in the pool; filling a pool is cheaper than a system call per id. */
function nextRandom(): number {
  poolOffset += RANDOM_BYTES;
  if (poolOffset >= pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  return poolOffset;
}

/** The form of an API key: `ahs_`, 40 random characters, and a checksum that exposes a typo without asking anybody. */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'ahs_';
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

export function generateApiKey(): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** Whether the text can be a key at all. Says nothing about whether such a key exists. */
export function isWellFormedApiKey(text: string): boolean {
  if (!FORM.test(text)) return false;
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** What may be shown of a key after its creation. */
export function previewApiKey(key: string): string {
  return `${PREFIX}…${key.slice(-4)}`;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit += 1) {
    text = BASE62.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

// Bytes from 248 on are thrown away: 256 is no multiple of 62, and the first characters would come up more often.
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

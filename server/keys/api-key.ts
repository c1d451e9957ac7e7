/** The format of an API key: `ahs_`, 40 random characters, and a checksum that detects typos without a database query. */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'ahs_';
const randomLength = 40;
const checksumLength = 6;
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const format = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

export function generateApiKey(): string {
  const body = prefix + randomBase62(randomLength);
  return body + checksum(body);
}

/** Whether the text has the format of a key; the key need not exist. */
export function isWellFormedApiKey(text: string): boolean {
  if (!format.test(text)) return false;
  return checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** The part of a key that may be shown after its creation. */
export function previewApiKey(key: string): string {
  return `${prefix}…${key.slice(-4)}`;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let digit = 0; digit < checksumLength; digit += 1) {
    text = base62.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

// Rejects bytes from 248 on: 256 is not a multiple of 62, so the first characters would be more frequent.
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += base62.charAt(byte % 62);
    }
  }
  return text;
}

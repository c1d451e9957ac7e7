/** Checks the format of an API key before it is sent. Messages name the problem, never the key. */
import { crc32 } from 'node:zlib';
import { CommandError, exitCodes } from './exit-codes.js';

const prefix = 'ahs_';
const checksumLength = 6;
const keyLength = prefix.length + 40 + checksumLength;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Texts that users commonly paste instead of a key. */
const mistakes: [RegExp, string][] = [
  [/[\r\n]/, 'contains a line break'],
  [/…|\.{3}|^ahs_$|[<>]/, 'is a placeholder from the documentation, not a key'],
  [/^["'`]|["'`]$/, 'is in quotes, which are not part of it'],
  [/^bearer /i, 'begins with "Bearer", which is not part of it'],
  [/\s/, 'contains a space'],
  [/[^!-~]/, 'contains characters that are not allowed in a key'],
  [/^key_/, 'is the id of a key, not the key itself'],
  [/^whsec_/, 'is a webhook secret, not an API key'],
];

/** Completes a sentence that begins with "The key"; undefined if it may be a key, or a token of an agent's end user. */
export function findKeyProblem(key: string): string | undefined {
  const mistake = mistakes.find(([pattern]) => pattern.test(key));
  if (mistake) return mistake[1];
  if (!key.startsWith(prefix)) return undefined;
  if (key.length !== keyLength) {
    const difference = key.length < keyLength ? 'a part is missing' : 'it is too long';
    return `has ${key.length} characters instead of ${keyLength}: ${difference}`;
  }
  const body = key.slice(0, -checksumLength);
  const isIntact = checksum(body) === key.slice(-checksumLength);
  return isIntact ? undefined : 'has a wrong character: its checksum does not match';
}

/** Throws if it cannot be a key. `source` says where it comes from, such as `in AGENT_HOSTING_API_KEY`. */
export function assertApiKey(key: string, source: string, hint: string): void {
  const problem = findKeyProblem(key);
  if (problem === undefined) return;
  throw new CommandError(`The key ${source} ${problem}.`, exitCodes.denied, [hint]);
}

/** The key as lists show it; undefined for a token. */
export function previewKey(key: string): string | undefined {
  return key.startsWith(prefix) ? `${prefix}…${key.slice(-4)}` : undefined;
}

/** The CRC-32 of the text in base 62. */
function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = '';
  while (encoded.length < checksumLength) {
    encoded = digits.charAt(rest % digits.length) + encoded;
    rest = Math.floor(rest / digits.length);
  }
  return encoded;
}

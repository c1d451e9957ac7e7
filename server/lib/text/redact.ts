/**
 * Removes secrets from untrusted text. Any six consecutive characters of a known secret are removed, in plain text, escaped
 * (URL, JSON, HTML), in base64 or in hexadecimal digits, so it does not matter where the text or the secret was cut. The time
 * is linear in the length of the text.
 */
import { maxEscapeLength, unescaped } from './escapes.js';

const mask = '[redacted]';

/** Shorter values may be ordinary words; removing them would make the text unreadable. */
const minLength = 6;
/** The length of `minLength` characters in base64, at any offset, and in hexadecimal digits. */
const base64Length = 7;
const hexLength = 2 * minLength;
/** How far to read beyond a cut to recognise a secret that crosses it. */
const lookahead = hexLength * maxEscapeLength;

/** Returns up to `maxLength` characters of the text without the secrets. The rest of the text is not processed. */
export function redact(text: string, secrets: readonly string[], maxLength: number): string {
  return withoutFragments(text.slice(0, maxLength + lookahead), [secrets]).slice(0, maxLength);
}

/** Like `redact`, but also removes secrets of the environment and anything that looks like a secret. */
export function redactError(
  text: string,
  secrets: readonly string[],
  maxLength: number,
  environment: Record<string, string | undefined> = process.env,
): string {
  const all = [secrets, environmentSecrets(environment)];
  const rest = withoutFragments(text.slice(0, maxLength + lookahead), all);
  return suspicious
    .reduce((left, [pattern, hide]) => left.replace(pattern, hide), rest)
    .slice(0, maxLength);
}

type Hide = (found: string, ...groups: string[]) => string;

const hideAll: Hide = () => mask;
const hideValue: Hide = (_found, name = '') => `${name}${mask}`;

/** Each pattern reads a character a bounded number of times. */
const suspicious: [RegExp, Hide][] = [
  // Keys and tokens with well-known prefixes.
  [/\b(?:sk|pk|rk|ahs|whsec|ghp|gho|glpat|hf|gsk|xai|xox[a-z])[-_][^\s"'`,;<>]+/gi, hideAll],
  [/\b(?:AKIA|ASIA|AIza|eyJ)[\w.-]+/g, hideAll],
  // Values after the name of a credential, and passwords in URLs.
  [/(\b(?:bearer|basic)\s{1,4})[^\s"'`,;<>]+/gi, hideValue],
  [
    /((?:\b|_)(?:authorization|api[-_ ]?key|password|secret|token)["']?\s{0,4}[:=]\s{0,4}["']?)(?!bearer\b|basic\b)[^\s"'`,;<>]+/gi,
    hideValue,
  ],
  [/(:\/\/)[^\s/@:]*:[^\s/@]+(?=@)/g, hideValue],
  // Keys whose middle the server has masked.
  [/[^\s"'`()]+/g, (word) => (/\*{3}|•{3}/.test(word) ? mask : word)],
  // Ids of organisations and projects.
  [/\b(?:org|proj)[-_]\w{6,}/g, hideAll],
  [/[\w+/=]{32,}/g, (word) => (/\d/.test(word) && /[a-z]/i.test(word) ? mask : word)],
];

const secretNames = /KEY|SECRET|TOKEN|PASS|PWD|CREDENTIAL|AUTH(?!OR)|PRIVATE|DSN/i;

function environmentSecrets(environment: Record<string, string | undefined>): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    const [, password] = /:\/\/(?:[^\s/@:]*:)?([^\s/@]+)@/.exec(value) ?? [];
    // Paths and addresses are not secret, such as those in PWD and SSH_AUTH_SOCK.
    const isSecret = secretNames.test(name) && !/^\/|:\/\//.test(value);
    return [...(isSecret ? [value] : []), ...(password === undefined ? [] : [password])];
  });
}

/** Words in a header that are not secret. */
const publicWords = new Set('basic bearer digest negotiate token apikey api-key'.split(' '));

/** Extracts the secret parts of a header value: `Bearer TOKEN`, `Basic BASE64`, `session=TOKEN; theme=dark`, `TOKEN`. */
function credentialsIn(value: string): string[] {
  const parts = value
    .split(/[\s;,]+/)
    .filter((part) => !publicWords.has(part.toLowerCase()))
    .map(withoutName);
  const long = parts.filter(({ length }) => length >= minLength);
  const [, basic = ''] = /^basic\s+(\S+)$/i.exec(value) ?? [];
  return [
    ...(long.length > 0 ? long.map(withoutPrefix) : [parts.join(' ')]),
    Buffer.from(basic, 'base64').toString(),
  ];
}

function withoutName(parameter: string): string {
  const value = parameter.slice(parameter.indexOf('=') + 1);
  // Otherwise the equals sign is part of the secret, such as base64 padding.
  return value.length >= minLength ? value : parameter;
}

/** Token prefixes (`github_pat_`, `sk_live_`) are not secret, and also occur in ordinary responses. */
function withoutPrefix(credential: string): string {
  return credential.replace(/^(?:[a-z]+[-_])+(?=.{16})/i, '');
}

/** A way to write characters, of which secrets are recognised by windows of `length` digits. */
interface Notation {
  length: number;
  base: number;
  /** By the code of each ASCII character, in upper and lower case the same; -1: not a digit. */
  digits: readonly number[];
}

/** How many characters of ASCII there are. Others count like one of these, which hardly ever matters for six in a row. */
const ascii = 128;

function notation(length: number, base: number, digitOf: (character: string) => number): Notation {
  const characters = Array.from({ length: ascii }, (_, code) => String.fromCharCode(code));
  return { length, base, digits: characters.map((one) => digitOf(one.toLowerCase())) };
}

const inBase64 = 'abcdefghijklmnopqrstuvwxyz0123456789+/';
const plain = notation(minLength, ascii, (character) => character.charCodeAt(0));
const base64 = notation(base64Length, 64, (character) =>
  inBase64.indexOf({ '-': '+', _: '/' }[character] ?? character),
);
const hex = notation(hexLength, 16, (digit) => '0123456789abcdef'.indexOf(digit));
const notations = [plain, base64, hex];

/**
 * Calls `visit` with each window of consecutive digits and the position after it. A window is a number, because a set of numbers is filled
 * and searched several times faster than one of texts: a token can have thousands of characters.
 */
function eachWindow(
  text: string,
  { length, base, digits }: Notation,
  visit: (window: number, end: number) => void,
): void {
  const first = base ** (length - 1);
  let window = 0;
  let read = 0;
  for (let index = 0; index < text.length; index += 1) {
    const digit = digitAt(text, index, digits);
    if (digit < 0) {
      [window, read] = [0, 0];
      continue;
    }
    if (read < length) read += 1;
    else window -= first * digitAt(text, index - length, digits);
    window = window * base + digit;
    if (read === length) visit(window, index + 1);
  }
}

function digitAt(text: string, index: number, digits: readonly number[]): number {
  return digits[text.charCodeAt(index) % ascii] ?? -1;
}

/** The windows of secrets, by their notation. */
type Fragments = ReadonlyMap<Notation, ReadonlySet<number>>;

/** Kept for as long as their secrets, which the tools of a run share. */
const known = new WeakMap<readonly string[], Fragments>();

function fragmentsOf(secrets: readonly string[]): Fragments {
  const found = known.get(secrets);
  if (found) return found;
  const credentials = secrets.flatMap(credentialsIn);
  const inBytes = credentials.map((credential) => Buffer.from(credential));
  const fragments = new Map([
    [plain, windowsOf(credentials, plain)],
    [base64, windowsOf(inBytes.flatMap(base64Forms), base64)],
    [
      hex,
      windowsOf(
        inBytes.map((bytes) => bytes.toString('hex')),
        hex,
      ),
    ],
  ]);
  known.set(secrets, fragments);
  return fragments;
}

function windowsOf(texts: readonly string[], digits: Notation): ReadonlySet<number> {
  const windows = new Set<number>();
  for (const text of texts) {
    eachWindow(text, digits, (window) => {
      windows.add(window);
    });
  }
  return windows;
}

/** The base64 characters that do not depend on the surrounding bytes, for each of the three alignments. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes, Buffer.alloc(2)]);
    const [start, end] = [
      Math.ceil((before * 8) / 6),
      Math.floor(((before + bytes.length) * 8) / 6),
    ];
    return padded.toString('base64').slice(start, end);
  });
}

function withoutFragments(text: string, secrets: readonly (readonly string[])[]): string {
  const fragments = secrets.map(fragmentsOf);
  const unescapedText = unescaped(text);
  // A secret may contain, or follow, something that looks like an escape.
  const spans = [
    ...spansIn(fragments, text, (position) => position),
    ...(unescapedText.text === text
      ? []
      : spansIn(fragments, unescapedText.text, unescapedText.originOf)),
  ].sort(byPosition);
  let result = '';
  let shown = 0;
  for (const { from, to } of spans) {
    if (from > shown || shown === 0) result += text.slice(shown, from) + mask;
    shown = Math.max(shown, to);
  }
  return result + text.slice(shown);
}

interface Span {
  from: number;
  to: number;
}

const byPosition = (one: Span, other: Span) => one.from - other.from;

/** Finds fragments in ascending order, and merges those that overlap or touch. */
function spansIn(
  fragments: readonly Fragments[],
  text: string,
  originOf: (position: number) => number,
): Span[] {
  const found = notations.flatMap((digits) => {
    const own: Span[] = [];
    const windows = fragments.flatMap((one) => one.get(digits) ?? []);
    eachWindow(text, digits, (window, end) => {
      if (windows.some((set) => set.has(window)))
        extend(own, { from: end - digits.length, to: end });
    });
    return own;
  });
  const spans: Span[] = [];
  for (const span of found.sort(byPosition)) extend(spans, span);
  return spans.map(({ from, to }) => ({ from: originOf(from), to: originOf(to) }));
}

/** `span` begins at or after the last one. */
function extend(spans: Span[], { from, to }: Span): void {
  const last = spans.at(-1);
  if (last && from <= last.to) last.to = Math.max(last.to, to);
  else spans.push({ from, to });
}

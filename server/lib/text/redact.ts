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
  return withoutFragments(text.slice(0, maxLength + lookahead), secrets).slice(0, maxLength);
}

/** Like `redact`, but also removes secrets of the environment and anything that looks like a secret. */
export function redactError(
  text: string,
  secrets: readonly string[],
  maxLength: number,
  environment: Record<string, string | undefined> = process.env,
): string {
  const known = [...secrets, ...environmentSecrets(environment)];
  const rest = withoutFragments(text.slice(0, maxLength + lookahead), known);
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

/** The parts of secrets to remove, in lower case, by length. */
type Fragments = Map<number, Set<string>>;

function fragmentsOf(secrets: readonly string[]): Fragments {
  const credentials = secrets.flatMap(credentialsIn);
  const inBytes = credentials.map((credential) => Buffer.from(credential));
  return new Map([
    [minLength, partsOf(credentials, minLength)],
    [base64Length, partsOf(inBytes.flatMap(base64Forms), base64Length)],
    [
      hexLength,
      partsOf(
        inBytes.map((bytes) => bytes.toString('hex')),
        hexLength,
      ),
    ],
  ]);
}

function partsOf(texts: readonly string[], length: number): Set<string> {
  const parts = texts.map(lowerCase).flatMap((text) => {
    const starts = Math.max(0, text.length - length + 1);
    return Array.from({ length: starts }, (_, start) => text.slice(start, start + length));
  });
  return new Set(parts);
}

/** Converts only ASCII letters, because others can change the length of the text. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The base64 characters that do not depend on the surrounding bytes, for each of the three alignments. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes, Buffer.alloc(2)]);
    const [start, end] = [
      Math.ceil((before * 8) / 6),
      Math.floor(((before + bytes.length) * 8) / 6),
    ];
    return (['base64', 'base64url'] as const).map((encoding) =>
      padded.toString(encoding).slice(start, end),
    );
  });
}

function withoutFragments(text: string, secrets: readonly string[]): string {
  const fragments = fragmentsOf(secrets);
  const unescapedText = unescaped(text);
  // A secret may contain, or follow, something that looks like an escape.
  const spans = [
    ...spansIn(fragments, text, (position) => position),
    ...spansIn(fragments, unescapedText.text, unescapedText.originOf),
  ].sort((one, other) => one.from - other.from);
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

/** Finds fragments in ascending order, and merges those that overlap or touch. */
function spansIn(
  fragments: Fragments,
  text: string,
  originOf: (position: number) => number,
): Span[] {
  const spans: Span[] = [];
  const searched = lowerCase(text);
  for (let from = 0; from < text.length; from += 1) {
    for (const [length, parts] of fragments) {
      if (!parts.has(searched.slice(from, from + length))) continue;
      const last = spans.at(-1);
      if (last && from <= last.to) last.to = Math.max(last.to, from + length);
      else spans.push({ from, to: from + length });
    }
  }
  return spans.map(({ from, to }) => ({ from: originOf(from), to: originOf(to) }));
}

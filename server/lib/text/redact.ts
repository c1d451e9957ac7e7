/**
 * Takes secrets out of text that another server wrote. Six characters in a row of a known secret do not survive, in plain
 * text, escaped (URL, JSON, HTML), in base64 or in hexadecimal digits; so it makes no difference where the text, or the
 * secret in it, was cut. The time is linear in the length of the text.
 */
import { maxEscapeLength, unescaped } from './escapes.js';

const mask = '[redacted]';

/** Shorter values are words, and a text without them would be unreadable. */
const minLength = 6;
/** What `minLength` characters become in base64, wherever they stand in it, and in hexadecimal digits. */
const base64Length = 7;
const hexLength = 2 * minLength;
/** What must be read beyond a cut to recognise a secret that stands across it. */
const lookahead = hexLength * maxEscapeLength;

/** At most `maxLength` characters of the text, without the secrets. The rest of the text costs no time. */
export function redact(text: string, secrets: readonly string[], maxLength: number): string {
  return withoutFragments(text.slice(0, maxLength + lookahead), secrets).slice(0, maxLength);
}

/** As `redact`, for errors: also without the secrets of the environment, and without what looks like a secret. */
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
  // Keys and tokens by the beginnings that their issuers give them.
  [/\b(?:sk|pk|rk|ahs|whsec|ghp|gho|glpat|hf|gsk|xai|xox[a-z])[-_][^\s"'`,;<>]+/gi, hideAll],
  [/\b(?:AKIA|ASIA|AIza|eyJ)[\w.-]+/g, hideAll],
  // What follows the name of a credential, and a password in a URL.
  [/(\b(?:bearer|basic)\s{1,4})[^\s"'`,;<>]+/gi, hideValue],
  [
    /((?:\b|_)(?:authorization|api[-_ ]?key|password|secret|token)["']?\s{0,4}[:=]\s{0,4}["']?)(?!bearer\b|basic\b)[^\s"'`,;<>]+/gi,
    hideValue,
  ],
  [/(:\/\/)[^\s/@:]*:[^\s/@]+(?=@)/g, hideValue],
  // A key of which the server itself has blotted out the middle.
  [/[^\s"'`()]+/g, (word) => (/\*{3}|•{3}/.test(word) ? mask : word)],
  // Who pays for the calls.
  [/\b(?:org|proj)[-_]\w{6,}/g, hideAll],
  [/[\w+/=]{32,}/g, (word) => (/\d/.test(word) && /[a-z]/i.test(word) ? mask : word)],
];

const secretNames = /KEY|SECRET|TOKEN|PASS|PWD|CREDENTIAL|AUTH(?!OR)|PRIVATE|DSN/i;

function environmentSecrets(environment: Record<string, string | undefined>): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    const [, password] = /:\/\/(?:[^\s/@:]*:)?([^\s/@]+)@/.exec(value) ?? [];
    // Paths and addresses are no secrets, such as those in PWD and SSH_AUTH_SOCK.
    const isSecret = secretNames.test(name) && !/^\/|:\/\//.test(value);
    return [...(isSecret ? [value] : []), ...(password === undefined ? [] : [password])];
  });
}

/** Words that say how to read the rest of a header. */
const publicWords = new Set('basic bearer digest negotiate token apikey api-key'.split(' '));

/** What is secret in the value of a header: `Bearer TOKEN`, `Basic BASE64`, `session=TOKEN; theme=dark`, `TOKEN`. */
function credentialsIn(value: string): string[] {
  const parts = value
    .split(/[\s;,]+/)
    .filter((part) => !publicWords.has(part.toLowerCase()))
    .map(withoutName);
  const long = parts.filter(({ length }) => length >= minLength);
  const [, basic = ''] = /^basic\s+(\S+)$/i.exec(value) ?? [];
  return [
    ...(long.length > 0 ? long.map(withoutLabel) : [parts.join(' ')]),
    Buffer.from(basic, 'base64').toString(),
  ];
}

function withoutName(parameter: string): string {
  const value = parameter.slice(parameter.indexOf('=') + 1);
  // Otherwise the sign is part of the secret, such as the padding of base64.
  return value.length >= minLength ? value : parameter;
}

/** Issuers begin their tokens with words (`github_pat_`, `sk_live_`), which occur in what an API answers. */
function withoutLabel(credential: string): string {
  return credential.replace(/^(?:[a-z]+[-_])+(?=.{16})/i, '');
}

/** The parts of secrets that must not survive, in lower case, by their length. */
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

/** Only ASCII letters, since others can change the length of the text. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The characters that are the same whatever stands before and after it, for each position in the groups of base64. */
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
  // A secret may itself have, or stand behind, what looks like an escape.
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

/** Where fragments are, in ascending order; those that overlap or touch each other as one. */
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

/**
 * Takes secrets out of text that another server wrote. Six characters in a row of a known secret do not survive, in plain
 * text, escaped (URL, JSON, HTML), in base64 or in hexadecimal digits; so it makes no difference where the text, or the
 * secret in it, was cut. The time is linear in the length of the text.
 */
import { maxEscapeLength, unescaped } from './escapes.js';
import { putLatest } from './put-latest.js';

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
interface Fragments {
  byLength: { length: number; fragments: Set<string> }[];
  /** By the hash of its first characters: a bit for each length of which there may be a fragment. */
  beginnings: Uint8Array;
}

const maxKept = 50;
const kept = new Map<string, Fragments>();

/** Kept, since an agent's secrets stay the same from call to call. */
function fragmentsOf(secrets: readonly string[]): Fragments {
  const key = JSON.stringify(secrets);
  const fragments = kept.get(key) ?? computeFragments(secrets.flatMap(credentialsIn));
  putLatest(kept, key, fragments, maxKept);
  return fragments;
}

function computeFragments(credentials: readonly string[]): Fragments {
  const forms = credentials.map((credential) => {
    const bytes = Buffer.from(credential);
    return {
      plain: [credential],
      base64: base64Forms(bytes),
      hex: [bytes.toString('hex')],
    };
  });
  const beginnings = new Uint8Array(hashes);
  const byLength = [
    { length: minLength, texts: forms.flatMap(({ plain }) => plain) },
    { length: base64Length, texts: forms.flatMap(({ base64 }) => base64) },
    { length: hexLength, texts: forms.flatMap(({ hex }) => hex) },
  ].map(({ length, texts }, index) => {
    const fragments = new Set<string>();
    for (const text of texts) {
      for (let start = 0; start + length <= text.length; start += 1) {
        const fragment = text.slice(start, start + length);
        fragments.add(fragment.toLowerCase());
        const hash = hashOf(fragment);
        beginnings[hash] = (beginnings[hash] ?? 0) | (1 << index);
      }
    }
    return { length, fragments };
  });
  return { byLength, beginnings };
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

const hashes = 2 ** 14;

/** The state depends on the last six characters alone: it has thirty bits, and moves by five. */
function advance(state: number, code: number): number {
  // Upper-case letters become lower-case ones.
  return ((state << 5) ^ (code | 32)) & 0x3fffffff;
}

const hashOfState = (state: number) => (state ^ (state >>> 14)) & (hashes - 1);

function hashOf(fragment: string): number {
  let state = 0;
  for (let index = 0; index < minLength; index += 1) {
    state = advance(state, fragment.charCodeAt(index));
  }
  return hashOfState(state);
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
  { byLength, beginnings }: Fragments,
  text: string,
  originOf: (position: number) => number,
): Span[] {
  const spans: Span[] = [];
  let last: Span | undefined;
  let state = 0;
  for (let end = 1; end <= text.length; end += 1) {
    state = advance(state, text.charCodeAt(end - 1));
    const found = beginnings[hashOfState(state)] ?? 0;
    if (found === 0) continue;
    const from = end - minLength;
    for (const [index, { length, fragments }] of byLength.entries()) {
      if (from < 0 || (found & (1 << index)) === 0) continue;
      if (!fragments.has(text.slice(from, from + length).toLowerCase())) continue;
      if (!last || from > last.to) {
        last = { from, to: from };
        spans.push(last);
      }
      last.to = Math.max(last.to, from + length);
    }
  }
  return spans.map(({ from, to }) => ({ from: originOf(from), to: originOf(to) }));
}

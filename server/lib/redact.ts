/** Takes secrets out of a text that another server wrote: those that are known here, and what looks like one. */

const mask = '[redacted]';

/** Shorter values are words, and a text without them would be unreadable. */
const minLength = 6;
/** Servers quote the beginning of a key to say which one they mean. */
const prefixLength = 8;

const secretNames = /KEY|SECRET|TOKEN|PASS|PWD|CREDENTIAL|AUTH|PRIVATE|DSN/i;

const lookingLikeSecrets = [
  // Keys and tokens by the beginnings that their issuers give them.
  /\b(?:sk|pk|rk|ahs|whsec|ghp|gho|glpat|hf|gsk|xai|xox[a-z])[-_][^\s"'`,;<>]+/gi,
  /\b(?:AKIA|ASIA|AIza|eyJ)[\w.-]+/g,
  // What follows the name of a credential, and a password in a URL.
  /(?<=\b(?:bearer|basic)\s+)[^\s"'`,;<>]+/gi,
  /(?<=\b(?:authorization|api[-_ ]?key|x-api-key|password|secret|token)["']?\s*[:=]\s*["']?)(?!bearer\b|basic\b)[^\s"'`,;<>]+/gi,
  /(?<=:\/\/)[^\s/@:]*:[^\s/@]+(?=@)/g,
  // A key of which the server itself has blotted out the middle.
  /[^\s"'`(]*(?:\*{3,}|•{3,})[^\s"'`)]*/g,
  // Who pays for the calls.
  /\b(?:org|proj)[-_]\w{6,}/g,
  /(?=[A-Za-z_+/=]*\d)(?=[\d_+/=]*[A-Za-z])[\w+/=]{32,}/g,
];

export function redact(
  text: string,
  secrets: readonly string[],
  environment: Record<string, string | undefined> = process.env,
): string {
  const known = [...secrets, ...environmentSecrets(environment)]
    .filter(({ length }) => length >= minLength)
    // A secret may contain another one.
    .sort((one, other) => other.length - one.length);
  const withoutKnown = known.reduce(withoutSecret, text);
  return lookingLikeSecrets.reduce((rest, pattern) => rest.replace(pattern, mask), withoutKnown);
}

function withoutSecret(text: string, secret: string): string {
  const complete = [secret, encodeURIComponent(secret)].reduce(
    (rest, form) => rest.replaceAll(form, mask),
    text,
  );
  if (secret.length < 2 * prefixLength) return complete;
  const beginning = escapePattern(secret.slice(0, prefixLength));
  return complete.replace(new RegExp(`(?<!\\w)${beginning}[^\\s"'\`,;<>]*`, 'g'), mask);
}

function environmentSecrets(environment: Record<string, string | undefined>): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    const [, password] = /:\/\/[^\s/@:]*:([^\s/@]+)@/.exec(value) ?? [];
    return [...(secretNames.test(name) ? [value] : []), ...(password ? [password] : [])];
  });
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { redact, redactError } from '../../../server/lib/text/redact.js';
import { secretsIn } from '../../../server/lib/text/secret-reference.js';
import { processorMs } from '../../helpers/programs/processor-time.js';
import { survivingPart } from '../../helpers/text/surviving-part.js';

const encodings: Record<string, (secret: string) => string> = {
  'as it is': (secret) => secret,
  'in upper case': (secret) => secret.toUpperCase(),
  'URL-encoded': encodeURIComponent,
  'URL-encoded in lower case': (secret) =>
    encodeURIComponent(secret).replaceAll(/%../g, (escape) => escape.toLowerCase()),
  'URL-encoded as a whole': (secret) => secret.replaceAll(/./gs, (c) => `%${hexOf(c, 2)}`),
  'as JSON': (secret) => JSON.stringify(secret).slice(1, -1),
  'as JSON of PHP': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'as JSON in ASCII': (secret) => secret.replaceAll(/\W/g, (c) => `\\u${hexOf(c, 4)}`),
  'as HTML': (secret) =>
    secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;'),
  'as HTML with numbers': (secret) => secret.replaceAll(/\W/g, (c) => `&#${c.charCodeAt(0)};`),
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64 after a character': (secret) => Buffer.from(`:${secret}:`).toString('base64'),
  'in base64 after two characters': (secret) => Buffer.from(`a:${secret}`).toString('base64'),
  'in base64 for URLs': (secret) => Buffer.from(`a:${secret}`).toString('base64url'),
  'in hexadecimal digits': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
};

function hexOf(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0');
}

/** Visible characters, which a header may have, without separators. */
const secretOf = (alphabet: string) =>
  fc
    .string({
      unit: fc.constantFrom(...alphabet.split('')),
      minLength: 8,
      maxLength: 60,
    })
    // A secret of few different characters occurs in the rest of the text by accident.
    .filter((secret) => new Set(secret.toLowerCase()).size > 5);

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const secrets = fc.oneof(
  secretOf(letters),
  secretOf(`${letters}+/`).map((secret) => `${secret}==`),
  secretOf(`${letters}.!"#$&'()*/:<>?@[]^\`{|}~`),
);

describe('six consecutive characters of a secret do not survive', () => {
  test.each(Object.entries(encodings))('%s, wherever the text is cut', (_name, encode) => {
    fc.assert(
      fc.property(
        secrets,
        fc.constantFrom('', 'Bearer ', 'Basic ', 'session='),
        fc.constantFrom('', 'x', ' ', '"', '\n', '%', '&'),
        (secret, scheme, around) => {
          const text = `Refused: ${around}${encode(secret)}${around} is not valid.`;
          for (let cut = 8; cut <= text.length; cut += 1) {
            const header = `${scheme}${secret}`;
            // Truncated by the service, and by the other server at either end.
            const shown = [
              redact(text, [header], cut),
              redact(text.slice(0, cut), [header], 999),
              redact(text.slice(cut), [header], 999),
            ];
            expect(shown.filter((part) => survivingPart(secret, part) !== undefined)).toEqual([]);
          }
        },
      ),
      { numRuns: 4 },
    );
  });

  test('nor do user and password of basic authentication', () => {
    const header = `Basic ${Buffer.from('reporting:tr0ub4dor&3').toString('base64')}`;
    const text = 'login of reporting with tr0ub4dor&amp;3 failed';
    expect(redact(text, [header], 999)).toBe('login of [redacted] with [redacted] failed');
  });

  test('and the rest of the text is left', () => {
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), (secret, before, after) => {
        const [one, other] = [`${before} `, ` ${after}`].map((text) =>
          text.replaceAll(/[%\\&]/g, ''),
        );
        const redacted = redact(`${one}${secret}${other}`, [secret], 10_000);
        fc.pre(survivingPart(secret, `${one}${other}`) === undefined);
        expect(redacted).toContain('[redacted]');
        expect(redacted.startsWith(one ?? '')).toBe(true);
        expect(redacted.endsWith(other ?? '')).toBe(true);
      }),
    );
  });
});

test.each([
  ['the scheme', 'Bearer x7Kq9pLm2vRt', 'Use Bearer or Basic, a token or an application.'],
  ['a short value', 'Bearer abc', 'Bearer abc of an ABC'],
  ['a token prefix of an issuer', 'token github_pat_11ABCDEFG0x7Kq9pLm2vRt', 'See github.com'],
  ['names of parameters', 'session_token=x7Kq9pLm2vRt; path=/', '{"session_token": true}'],
])('%s is not secret', (_name, header, text) => {
  expect(redact(text, [header], 999)).toBe(text);
});

test('content negotiation headers are not secret', () => {
  const headers = {
    Accept: 'application/vnd.github+json',
    'X-GitHub-Api-Version': '2022-11-28',
    'X-Api-Key': 'x7Kq9pLm2vRt',
  };
  expect(secretsIn(headers)).toEqual(['x7Kq9pLm2vRt']);
});

describe('an error', () => {
  const environment = {
    AUTH_URL: 'https://login.example.com/oauth',
    OPENAI_API_KEY: 'h0rse-batteries',
    DATABASE_URL: 'postgresql://app:tr0ub4dor@db/agents',
    PWD: '/srv/service',
    HOME: '/home/ada',
  };
  const shown = (text: string) => redactError(text, ['battery-staple-9'], 999, environment);

  test.each([
    ['one that is known', 'no access with battery-staple-9 here', 'no access with [redacted] here'],
    ['its beginning', 'the key battery-…9 is unknown', 'the key [redacted]…9 is unknown'],
    ['of the environment', 'got h0rse-batteries', 'got [redacted]'],
    ['a password of the environment', 'login tr0ub4dor failed', 'login [redacted] failed'],
    ['by its format', 'Incorrect key sk-proj-abc123', 'Incorrect key [redacted]'],
    ['half hidden', 'Incorrect key: ab12****9f. See', 'Incorrect key: [redacted] See'],
    ['a header', 'Authorization: Bearer abc.def', 'Authorization: Bearer [redacted]'],
    ['a setting', '{"api_key": "abc"}', '{"api_key": "[redacted]"}'],
    ['a parameter', 'POST /?access_token=abc', 'POST /?access_token=[redacted]'],
    ['of a URL', 'GET http://me:pw@host/x', 'GET http://[redacted]@host/x'],
    ['a token', `expired eyJhbGciOi.J9.x`, 'expired [redacted]'],
    ['a long one', `id ${'a1'.repeat(20)}`, 'id [redacted]'],
    ['the payer', 'limit of organization org-a1b2c3d4', 'limit of organization [redacted]'],
  ])('is shown without a secret: %s', (_name, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test.each([
    'The model `gpt-5-mini-2025-08-07` does not exist or you do not have access to it.',
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.',
    'Rate limit reached for requests. Limit: 3 / min. Please try again in 20s.',
    'This model needs a token limit below 128000; see /home/ada and /srv/service.js.',
    'See https://docs.example.com/errors.',
  ])('without a secret is shown unchanged: %s', (text) => {
    expect(shown(text)).toBe(text);
  });
});

test('a token of 8 kB is prepared once for all texts, such as the definitions of a thousand tools', () => {
  const random = createHash('shake256', { outputLength: 6_000 }).update('a token').digest();
  const header = [`Bearer ${random.toString('base64url')}`];
  const redacting = processorMs(() => {
    for (let text = 0; text < 1_000; text += 1) {
      expect(redact(`Tool ${text} of ${header[0]?.slice(100, 120)}`, header, 999)).toBe(
        `Tool ${text} of [redacted]`,
      );
    }
  });
  // Otherwise it is several seconds.
  expect(redacting).toBeLessThan(1_500);
});

describe('the time is linear in the length of the text', () => {
  const secret = 'x7Kq9pLm2vRt4wYz8bNc';
  const header = `Bearer ${secret}`;
  const long = 256 * 1024;
  const filled = (piece: string) => piece.repeat(Math.ceil(long / piece.length));

  test.each([
    ['letters', filled('a')],
    ['digits and letters', filled('a1')],
    ['a secret, then letters', `${secret} ${filled('a')}`],
    ['secrets', filled(`${secret} `)],
    ['almost secrets', filled(secret.slice(0, 5))],
    ['escapes', filled('%41')],
    ['backslashes', filled('\\')],
    ['ampersands', filled('&#')],
    ['spaces', `token${filled(' ')}`],
    ['names of credentials', filled('token:')],
    ['beginnings of keys', filled('sk-')],
    ['addresses', filled('://a:')],
    ['stars', filled('*')],
    ['organisations', filled('org_')],
  ])('%s', (_name, text) => {
    const redacting = (size: number) =>
      processorMs(() => {
        const part = text.slice(0, size);
        redact(part, [header], size);
        redactError(part, [header], size);
      });
    // In linear time it would be 8 times; with a backtracking pattern it is 64 times or more.
    expect(redacting(long)).toBeLessThan(24 * redacting(long / 8) + 100);
  });
});

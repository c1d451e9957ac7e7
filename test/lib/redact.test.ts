import { describe, expect, test } from '@jest/globals';
import { redact } from '../../server/lib/redact.js';

const environment = {
  OPENAI_API_KEY: 'correcthorse-battery',
  DATABASE_URL: 'postgresql://app:tr0ub4dor@db/agents',
  HOME: '/home/somebody',
};

describe('a secret is taken out of a text', () => {
  test.each([
    ['one that is known', 'no access with battery-staple-9 here', 'no access with [redacted] here'],
    ['its beginning', 'the key battery-…9 is unknown', 'the key [redacted] is unknown'],
    ['of the environment', 'got correcthorse-battery', 'got [redacted]'],
    ['a password of the environment', 'login tr0ub4dor failed', 'login [redacted] failed'],
    ['by its look', 'Incorrect key sk-proj-abc123', 'Incorrect key [redacted]'],
    ['half hidden', 'Incorrect key: ab12****9f. See', 'Incorrect key: [redacted] See'],
    ['a header', 'Authorization: Bearer abc.def', 'Authorization: Bearer [redacted]'],
    ['a setting', '{"api_key": "abc"}', '{"api_key": "[redacted]"}'],
    ['of a URL', 'GET http://me:pw@host/x', 'GET http://[redacted]@host/x'],
    ['a token', `expired eyJhbGciOi.J9.x`, 'expired [redacted]'],
    ['a long one', `id ${'a1'.repeat(20)}`, 'id [redacted]'],
    ['whoever pays', 'limit of organization org-a1b2c3d4', 'limit of organization [redacted]'],
  ])('%s', (_name, text, expected) => {
    expect(redact(text, ['battery-staple-9'], environment)).toBe(expected);
  });
});

test.each([
  'The model `gpt-5-mini-2025-08-07` does not exist or you do not have access to it.',
  'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.',
  'Rate limit reached for requests. Limit: 3 / min. Please try again in 20s.',
  'This model needs a token limit below 128000; see /home/somebody.',
])('what is none stays: %s', (text) => {
  expect(redact(text, ['x'], environment)).toBe(text);
});

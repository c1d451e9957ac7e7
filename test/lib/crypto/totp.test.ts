/** One-time codes as specified in RFC 6238, and enrolment for authenticator applications. */
import { describe, expect, test } from '@jest/globals';
import {
  codeOfStep,
  enrolmentUri,
  isWellFormedCode,
  matchingStep,
  stepAt,
} from '../../../server/lib/crypto/totp.js';

const secret = Buffer.from('12345678901234567890');

/** The last six of the eight digits in appendix B. */
test.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('at second %i the code is %s', (second, code) => {
  expect(codeOfStep(secret, stepAt(second * 1000))).toBe(code);
});

describe('a code matches', () => {
  const now = 1234567890_000;
  const present = stepAt(now);

  test.each([-1, 0, 1])('%i steps away from now', (drift) => {
    expect(matchingStep(secret, codeOfStep(secret, present + drift), now)).toBe(present + drift);
  });

  test.each([-3, -2, 2, 3])('not %i steps away from now', (drift) => {
    expect(matchingStep(secret, codeOfStep(secret, present + drift), now)).toBeUndefined();
  });

  test('not with another secret', () => {
    expect(matchingStep(Buffer.alloc(20, 1), codeOfStep(secret, present), now)).toBeUndefined();
  });
});

test.each(['', '12345', '1234567', '12345a', ' 123456', '１２３４５６', '12345\n', '-12345'])(
  "'%s' is not a well-formed code",
  (text) => {
    expect(isWellFormedCode(text)).toBe(false);
  },
);

test('the enrolment follows the key URI format', () => {
  const uri = enrolmentUri(secret, { issuer: 'Agent Hosting', account: 'acme inc/support-bot' });
  expect(uri).toBe(
    'otpauth://totp/Agent%20Hosting:acme%20inc%2Fsupport-bot' +
      '?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Agent%20Hosting&algorithm=SHA1&digits=6&period=30',
  );
});

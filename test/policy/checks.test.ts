/** The request properties that policy checks read. */
import { expect, test } from '@jest/globals';
import { findViolation } from '../../server/domain/policy/checks.js';
import type { Policy, RequestAttributes } from '../../server/domain/policy/policy.js';

const withoutSettings: Policy = {
  tokens: undefined,
  enforceHttps: false,
  hsts: undefined,
  networks: undefined,
  clientAuthority: undefined,
  rateLimit: undefined,
  needsCode: new Set(),
};

test('only properties that the policy needs are read from a request', () => {
  const read: string[] = [];
  const attributes = new Proxy({} as RequestAttributes, {
    get: (_target, name) => {
      read.push(String(name));
      return null;
    },
  });
  expect(findViolation(withoutSettings, attributes)).toBeUndefined();
  expect(read).toEqual(['operation']);
});

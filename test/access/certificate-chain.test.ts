/** Client certificates are checked against the authority of a policy, which is kept for as long as its settings do not change. */
import { X509Certificate } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createClientAuthority } from '../../server/access/certificate-chain.js';
import { createAuthority } from '../helpers/crypto/certificates.js';

test('a certificate that was accepted is rejected as soon as it has expired', () => {
  const made = createAuthority('Clients');
  const leaf = new X509Certificate(made.issue({ name: 'client', isAuthority: false }).cert);
  const { problemWith } = createClientAuthority([new X509Certificate(made.cert)]);
  expect(problemWith([leaf], new Date())).toBeUndefined();
  const expiry = Date.parse(leaf.validTo);
  expect(problemWith([leaf], new Date(expiry + 1))).toBe('it has expired or is not valid yet');
});

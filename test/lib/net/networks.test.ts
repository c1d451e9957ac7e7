/** Addresses and ranges of both families, in every notation, and invalid ones. */
import { describe, expect, test } from '@jest/globals';
import { createNetworks } from '../../../server/lib/net/networks.js';

describe('a network includes', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.0/24', '203.0.113.255'],
    ['203.0.113.9/24', '203.0.113.1'],
    ['0.0.0.0/0', '8.8.8.8'],
    ['10.0.0.0/8', '::ffff:10.1.2.3'],
    ['10.0.0.0/8', '::FFFF:0A01:0203'],
    ['::ffff:10.0.0.0/104', '10.1.2.3'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8::/32', '2001:db8:ffff::1'],
    ['2001:DB8::1', '2001:0db8:0:0:0:0:0:1'],
    ['::1', '::1'],
    ['::/0', '2001:db8::1'],
  ])('%s: %s', (network, address) => {
    expect(createNetworks([network]).includes(address)).toBe(true);
  });
});

describe('a network does not include', () => {
  test.each([
    ['203.0.113.7', '203.0.113.8'],
    ['203.0.113.0/24', '203.0.114.0'],
    ['203.0.113.0/25', '203.0.113.128'],
    ['10.0.0.0/8', '::10.1.2.3'],
    ['10.0.0.0/8', '64:ff9b::a01:203'],
    ['::/0', '10.1.2.3'],
    ['::/0', '::ffff:10.1.2.3'],
    ['0.0.0.0/0', '2001:db8::1'],
    ['2001:db8::/32', '2001:db9::1'],
    ['fe80::/10', 'fe80::1%eth0'],
    ['::/0', '::10.1.2.3'],
    ['0.0.0.0/0', 'unknown'],
    ['0.0.0.0/0', ''],
    ['0.0.0.0/0', '10.1.2'],
    ['0.0.0.0/0', '010.1.2.3'],
    ['0.0.0.0/0', '10.1.2.3:443'],
    ['0.0.0.0/0', ' 10.1.2.3'],
    ['0.0.0.0/0', undefined],
  ])('%s: %s', (network, address) => {
    expect(createNetworks([network]).includes(address)).toBe(false);
  });

  test('anything if it is empty', () => {
    expect(createNetworks([]).includes('127.0.0.1')).toBe(false);
  });
});

test.each([
  '',
  '10.0.0.0/33',
  '2001:db8::/129',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0.0/-1',
  '10.0.0/8',
  '010.0.0.1',
  '0x0a000001',
  '300.1.1.1',
  'fe80::1%eth0',
  '::10.0.0.0/104',
  '*',
  'localhost',
  ' 10.0.0.1',
])("'%s' is not a network, and the message names it", (text) => {
  expect(() => createNetworks([text])).toThrow(`'${text}' is neither`);
});

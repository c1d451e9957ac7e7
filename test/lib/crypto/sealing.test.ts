import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  createSecretsKey,
  equalInConstantTime,
  keyIdOf,
  SealError,
} from '../../../server/lib/crypto/sealing.js';
import { createSecrets } from '../../../server/installation/key-ring.js';

const secrets = createSecrets(randomBytes(32));

describe('encryption', () => {
  test.each(['', 'whsec_abc', 'ä€😀'])('restores %j', (text) => {
    const sealed = secrets.seal(text, 'webhook 1');
    expect(secrets.open(sealed, 'webhook 1').toString()).toBe(text);
  });

  test('restores bytes', () => {
    const bytes = randomBytes(1_000);
    expect(secrets.open(secrets.seal(bytes, 'x'), 'x').equals(bytes)).toBe(true);
  });

  test('reveals nothing of the text, and differs each time', () => {
    const one = secrets.seal('the same secret', 'x');
    const other = secrets.seal('the same secret', 'x');
    expect(one.equals(other)).toBe(false);
    expect(one.toString('latin1')).not.toContain('secret');
  });

  test('begins with its format version', () => {
    expect(secrets.seal('text', 'x')[0]).toBe(2);
  });

  test('rejects decryption in another context or with another key', () => {
    const sealed = secrets.seal('text', 'webhook 1');
    expect(() => secrets.open(sealed, 'webhook 2')).toThrow(SealError);
    expect(() => createSecrets(randomBytes(32)).open(sealed, 'webhook 1')).toThrow(/SECRETS_KEY/);
  });

  test('detects every changed byte and every truncation', () => {
    const sealed = secrets.seal('text', 'x');
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => secrets.open(changed, 'x')).toThrow(SealError);
      expect(() => secrets.open(sealed.subarray(0, index), 'x')).toThrow(SealError);
    }
  });
});

describe('the hash of an API key', () => {
  test('is the same each time, and 32 bytes long', () => {
    expect(secrets.hashApiKey('ahs_a')).toEqual(secrets.hashApiKey('ahs_a'));
    expect(secrets.hashApiKey('ahs_a')).toHaveLength(32);
  });

  test('depends on the key and on the pepper', () => {
    expect(secrets.hashApiKey('ahs_a').equals(secrets.hashApiKey('ahs_b'))).toBe(false);
    const other = createSecrets(randomBytes(32));
    expect(secrets.hashApiKey('ahs_a').equals(other.hashApiKey('ahs_a'))).toBe(false);
  });
});

test('the fingerprint belongs to the master key and does not contain it', () => {
  const masterKey = randomBytes(32);
  const { fingerprint } = createSecretsKey(masterKey);
  expect(fingerprint).toBe(createSecretsKey(masterKey).fingerprint);
  expect(fingerprint).not.toBe(secrets.keys[0].fingerprint);
  expect(Buffer.from(fingerprint, 'base64url').equals(masterKey)).toBe(false);
});

describe('several keys', () => {
  const [old, current] = [randomBytes(32), randomBytes(32)];
  const both = createSecrets(current, [old]);

  test('decrypt values of any of them, and encrypt with the first', () => {
    const before = createSecrets(old).seal('text', 'x');
    expect(both.open(before, 'x').toString()).toBe('text');
    const after = both.seal('text', 'x');
    expect(createSecrets(current).open(after, 'x').toString()).toBe('text');
    expect(keyIdOf(after)).toBe(both.keys[0].id);
    expect(() => createSecrets(old).open(after, 'x')).toThrow(/neither SECRETS_KEY nor/);
  });

  test('that are equal count once', () => {
    expect(createSecrets(old, [old]).keys).toHaveLength(1);
  });
});

test('a master key of the wrong length is rejected', () => {
  expect(() => createSecrets(randomBytes(31))).toThrow(/31 bytes/);
});

test('comparison distinguishes equal from different values of any length', () => {
  expect(equalInConstantTime(Buffer.from('abc'), Buffer.from('abc'))).toBe(true);
  expect(equalInConstantTime(Buffer.from('abc'), Buffer.from('abd'))).toBe(false);
  expect(equalInConstantTime(Buffer.from('abc'), Buffer.from('abcd'))).toBe(false);
});

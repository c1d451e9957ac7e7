/** Cryptography with SECRETS_KEY: encrypts stored secrets, and hashes API keys for lookup. */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

export const MASTER_KEY_BYTES = 32;

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES;

export interface Secrets {
  /** Encrypts with the context (such as a table and an id) as additional data: it opens with the same context only. */
  seal(plaintext: string | Uint8Array, context: string): Buffer<ArrayBuffer>;
  open(sealed: Uint8Array, context: string): Buffer;
  /** The hash under which an API key is stored and looked up. */
  hashApiKey(key: string): Buffer<ArrayBuffer>;
  /** Identifies the master key without revealing it. */
  fingerprint: string;
}

export class SealError extends Error {
  override name = 'SealError';
}

export function createSecrets(masterKey: Uint8Array): Secrets {
  if (masterKey.length !== MASTER_KEY_BYTES) {
    throw new RangeError(`The master key has ${masterKey.length} bytes instead of 32.`);
  }
  // A separate key per purpose, so that no use weakens another.
  const derive = (label: string) =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `agent-hosting-service ${label}`, 32));
  const sealingKey = derive('seal v1');
  const pepper = derive('api key pepper v1');

  return {
    seal: (plaintext, context) => seal(sealingKey, plaintext, context),
    open: (sealed, context) => openSealed(sealingKey, sealed, context),
    hashApiKey: (key) => Buffer.from(createHmac('sha256', pepper).update(key).digest()),
    fingerprint: derive('fingerprint v1').toString('base64url'),
  };
}

export function equalInConstantTime(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

function seal(
  key: Uint8Array,
  plaintext: string | Uint8Array,
  context: string,
): Buffer<ArrayBuffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const bytes = typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext;
  return Buffer.concat([
    Buffer.of(VERSION),
    nonce,
    cipher.update(bytes),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

function openSealed(key: Uint8Array, sealed: Uint8Array, context: string): Buffer {
  if (sealed.length < HEADER_BYTES + TAG_BYTES || sealed[0] !== VERSION) {
    throw new SealError(
      `The sealed value of ${context} has a format that this release does not know.`,
    );
  }
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, HEADER_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(sealed.subarray(HEADER_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]);
  } catch (cause) {
    throw new SealError(
      `The sealed value of ${context} cannot be decrypted: it was changed, or sealed with another SECRETS_KEY.`,
      { cause },
    );
  }
}

/** Authenticated encryption with one master key. Sealed values contain the id of their key, so that keys can be rotated. */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

export const MASTER_KEY_BYTES = 32;

const VERSION = 2;
const ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCE_START = 1 + ID_BYTES;

export interface SecretsKey {
  /** The beginning of the fingerprint; identifies the key in sealed values and messages. */
  id: string;
  /** Identifies the key without revealing it. */
  fingerprint: string;
  /** The pepper of an installation whose first key is this one. */
  pepper: Buffer;
  seal(plaintext: string | Uint8Array, context: string): Buffer<ArrayBuffer>;
  open(sealed: Uint8Array, context: string): Buffer;
}

export class SealError extends Error {
  override name = 'SealError';
}

export function createSecretsKey(masterKey: Uint8Array): SecretsKey {
  if (masterKey.length !== MASTER_KEY_BYTES) {
    throw new RangeError(`The master key has ${masterKey.length} bytes instead of 32.`);
  }
  // Derives a separate key per purpose, so that no use weakens another.
  const derive = (label: string) =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `agent-hosting-service ${label}`, 32));
  // Node 24 takes three times as long to encrypt with bytes as with a key object.
  const sealingKey = createSecretKey(derive('seal v1'));
  const fingerprint = derive('fingerprint v1');
  const header = Buffer.concat([Buffer.of(VERSION), fingerprint.subarray(0, ID_BYTES)]);
  return {
    id: keyIdOf(header),
    fingerprint: fingerprint.toString('base64url'),
    pepper: derive('api key pepper v1'),
    seal: (plaintext, context) => seal(sealingKey, header, plaintext, context),
    open: (sealed, context) => openSealed(sealingKey, sealed, context),
  };
}

/** The id of the key that sealed a value. */
export function keyIdOf(sealed: Uint8Array): string {
  return Buffer.from(sealed.subarray(1, NONCE_START)).toString('hex');
}

export function equalInConstantTime(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

function seal(
  key: KeyObject,
  header: Uint8Array,
  plaintext: string | Uint8Array,
  context: string,
): Buffer<ArrayBuffer> {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const bytes = typeof plaintext === 'string' ? Buffer.from(plaintext) : plaintext;
  return Buffer.concat([header, nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

function openSealed(key: KeyObject, sealed: Uint8Array, context: string): Buffer {
  if (sealed[0] !== VERSION || sealed.length < NONCE_START + NONCE_BYTES + TAG_BYTES) {
    throw new SealError(
      `The sealed value of ${context} has a format that this release does not know.`,
    );
  }
  const nonce = sealed.subarray(NONCE_START, NONCE_START + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([
      decipher.update(sealed.subarray(NONCE_START + NONCE_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]);
  } catch (cause) {
    throw new SealError(
      `The sealed value of ${context} cannot be decrypted: it was changed, or sealed with another SECRETS_KEY.`,
      { cause },
    );
  }
}

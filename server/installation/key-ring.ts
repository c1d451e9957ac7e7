/** Encrypts stored secrets and hashes API keys, with SECRETS_KEY and the keys that it replaces. */
import { createHmac } from 'node:crypto';
import { createSecretsKey, keyIdOf, SealError, type SecretsKey } from '../lib/crypto/sealing.js';

export interface Secrets {
  /** Encrypts with the context (such as a table and an id) as additional data. The value opens only with the same context. */
  seal(plaintext: string | Uint8Array, context: string): Buffer<ArrayBuffer>;
  open(sealed: Uint8Array, context: string): Buffer;
  /** The hash under which an API key is stored and looked up. */
  hashApiKey(key: string): Buffer<ArrayBuffer>;
}

/** The configured keys. The database records which of them seals, so that all instances switch together. */
export interface KeyRing extends Secrets {
  /** SECRETS_KEY, followed by the keys in SECRETS_KEY_PREVIOUS. */
  readonly keys: readonly [SecretsKey, ...SecretsKey[]];
  /** The key that seals: SECRETS_KEY, unless `sealWith` chose another. */
  readonly sealing: SecretsKey;
  sealWith(key: SecretsKey): void;
  /** The installation's pepper outlives the key that it was derived from, since hashes cannot be computed again. */
  usePepper(pepper: Uint8Array): void;
}

export function createSecrets(
  masterKey: Uint8Array,
  previous: readonly Uint8Array[] = [],
): KeyRing {
  const current = createSecretsKey(masterKey);
  const others = previous.map(createSecretsKey).filter(({ id }) => id !== current.id);
  let sealing = current;
  let { pepper }: { pepper: Uint8Array } = current;
  return {
    keys: [current, ...others],
    get sealing() {
      return sealing;
    },
    sealWith: (key) => {
      sealing = key;
    },
    usePepper: (stored) => {
      pepper = stored;
    },
    seal: (plaintext, context) => sealing.seal(plaintext, context),
    open: (sealed, context) => openWithAny([current, ...others], sealed, context),
    hashApiKey: (key) => Buffer.from(createHmac('sha256', pepper).update(key).digest()),
  };
}

function openWithAny(keys: SecretsKey[], sealed: Uint8Array, context: string): Buffer {
  const id = keyIdOf(sealed);
  const key = keys.find((one) => one.id === id);
  if (key) return key.open(sealed, context);
  throw new SealError(
    `The value of ${context} was sealed with key ${id}, which is neither SECRETS_KEY nor in SECRETS_KEY_PREVIOUS.`,
  );
}

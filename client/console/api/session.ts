/** The session: the key, in memory and optionally in the storage of the tab, and clients that use it. */
import { batch, signal } from '@preact/signals';
import { agentHosting, type AgentHosting } from '../../src/index.js';
import { serviceUrl } from '../lib/router.js';
import { stored } from '../lib/storage.js';
import { observedFetch, rateLimit } from './connection.js';

export interface Session {
  /** For actions of the user. */
  client: AgentHosting;
  /** For background refreshes: does not retry, since the refresh loop schedules the next attempt. */
  background: AgentHosting;
  /** The last characters of the key, which identify it in a list of keys. */
  keyEnding: string;
}

export const session = signal<Session | undefined>(undefined);

/** Why the last session ended, if the user did not sign out. */
export const endReason = signal<string | undefined>(undefined);

const storedKey = stored('sessionStorage', 'key');

/** Throws a TypeError if the text cannot be a key. */
export function createSession(key: string): Session {
  const client = agentHosting({ apiKey: key, baseUrl: serviceUrl, fetch: observedFetch });
  return {
    client,
    background: client.withOptions({ maxRetries: 0, timeout: 30_000 }),
    keyEnding: key.slice(-4),
  };
}

export function startSession(started: Session, key: string, keep: boolean): void {
  if (keep) storedKey.write(key);
  batch(() => {
    endReason.value = undefined;
    session.value = started;
  });
}

export function readStoredKey(): string | undefined {
  return storedKey.read();
}

const endListeners = new Set<() => void>();

/** For modules that must clear data that was read with the key. */
export function onSessionEnd(listener: () => void): void {
  endListeners.add(listener);
}

export function endSession(reason?: string): void {
  storedKey.write(undefined);
  batch(() => {
    session.value = undefined;
    endReason.value = reason;
    rateLimit.value = undefined;
    for (const listener of endListeners) listener();
  });
}

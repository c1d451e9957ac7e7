/** Who is signed in: the key, in memory and, if asked to, in the storage of the tab, and clients that use it. */
import { batch, signal } from '@preact/signals';
import { agentHosting, type AgentHosting } from '../../src/index.js';
import { serviceUrl } from '../lib/router.js';
import { stored } from '../lib/storage.js';
import { observedFetch, rateLimit } from './connection.js';

export interface Session {
  /** For what a person asked for. */
  client: AgentHosting;
  /** For what refreshes by itself: it fails at once, and whoever asked decides when to ask again. */
  background: AgentHosting;
  /** The end of the key, by which a list of keys tells which one it is. */
  keyEnding: string;
}

export const session = signal<Session | undefined>(undefined);

/** Why the last session ended, if nobody ended it. */
export const endReason = signal<string | undefined>(undefined);

const keptKey = stored('sessionStorage', 'key');

/** Throws a TypeError that says what is wrong with a text that cannot be a key. */
export function createSession(key: string): Session {
  const client = agentHosting({ apiKey: key, baseUrl: serviceUrl, fetch: observedFetch });
  return {
    client,
    background: client.withOptions({ maxRetries: 0, timeout: 30_000 }),
    keyEnding: key.slice(-4),
  };
}

export function startSession(started: Session, key: string, keep: boolean): void {
  if (keep) keptKey.write(key);
  batch(() => {
    endReason.value = undefined;
    session.value = started;
  });
}

/** The key that this tab was told to keep. */
export function keptSessionKey(): string | undefined {
  return keptKey.read();
}

const onEnd = new Set<() => void>();

/** Whatever was read with the key is forgotten together with it. */
export function whenSessionEnds(forget: () => void): void {
  onEnd.add(forget);
}

export function endSession(reason?: string): void {
  keptKey.write(undefined);
  batch(() => {
    session.value = undefined;
    endReason.value = reason;
    rateLimit.value = undefined;
    for (const forget of onEnd) forget();
  });
}

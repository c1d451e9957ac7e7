/**
 * Looks up the credentials of suspect addresses one at a time, so that guesses occupy at most one database connection, however many
 * arrive. Networks get their turn in rotation, and a credential that has worked before does not wait.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { rateLimited } from '../../contract/errors.js';
import { FairQueue, type Release } from '../../lib/async/fair-queue.js';
import type { Identify } from './authenticate.js';
import { type FailedAuthenticationLimit, networkOf } from './failed-authentication.js';

/** Per network. */
const maxWaiting = 100;
const maxWaitMs = 5_000;
const maxKnown = 10_000;

export function queueSuspects(
  identify: Identify,
  failures: Pick<FailedAuthenticationLimit, 'isSuspect'>,
): Identify {
  const slot = new FairQueue(1);
  const known = new LRUCache<string, true>({ max: maxKnown });

  const enterSlot = async (network: string): Promise<Release> => {
    if (slot.waitingOf(network) >= maxWaiting) throw rateLimited(1);
    return slot.enter(network, { signal: AbortSignal.timeout(maxWaitMs) }).catch(() => {
      throw rateLimited(1);
    });
  };

  return async (credential, agent, address) => {
    const isKnown = () =>
      known.has(fingerprint(credential)) || known.has(fingerprint(credential, agent));
    const mayGuess = failures.isSuspect(address) && !isKnown();
    const release = mayGuess ? await enterSlot(networkOf(address)) : undefined;
    try {
      const caller = await identify(credential, agent, address);
      if (caller) {
        known.set(fingerprint(credential, caller.keyId === null ? agent : undefined), true);
      } else {
        known.delete(fingerprint(credential));
        known.delete(fingerprint(credential, agent));
      }
      return caller;
    } finally {
      release?.();
    }
  };
}

/** A token is known with its agent only: with others it could ask for any number of agents. No credential stays in memory. */
function fingerprint(credential: string, agent = ''): string {
  return hash('sha256', `${credential} ${agent}`, 'base64url');
}

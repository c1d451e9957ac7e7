/** Resolves host names from untrusted sources. */
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

export interface HostAddress {
  address: string;
  family: 4 | 6;
}

/** Empty if the name has no address. Queries are cancelled when the signal aborts. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<HostAddress[]>;

/**
 * Queries DNS directly. The system's resolver would block a thread of the pool for each slow name server, so that a
 * hostile one could stall unrelated work. Uses the system's name servers unless others are given.
 */
export function resolveInDns(servers?: readonly string[]): Resolve {
  return async (host, signal) => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    if (servers) resolver.setServers(servers);
    const cancel = () => {
      resolver.cancel();
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      return results.flatMap((result) =>
        result.status === 'fulfilled' ? result.value.flatMap(hostAddress) : [],
      );
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** Uses the system's resolver, which also knows the hosts file and the names of other containers. */
export const resolveOnThisMachine: Resolve = async (host) => {
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.flatMap(({ address }) => hostAddress(address));
};

/** Returns a list with the address, or an empty list if the text is not an IP address. */
export function hostAddress(text: string): HostAddress[] {
  const family = isIP(text);
  return family === 4 || family === 6 ? [{ address: text, family }] : [];
}

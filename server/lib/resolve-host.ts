/** Finds the addresses of a host that somebody else named. */
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

export interface HostAddress {
  address: string;
  family: 4 | 6;
}

/** Empty if the name has no address; what was asked for is dropped when the signal says so. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<HostAddress[]>;

/**
 * Asks DNS without the threads that the system's resolver would hold: name servers that hang are their owner's, and
 * must not make anything else wait. The servers are the system's unless others are named.
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
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      return answers.flatMap((answer) =>
        answer.status === 'fulfilled' ? answer.value.flatMap(hostAddress) : [],
      );
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** Also knows what only this machine knows: its hosts file, the names of containers beside it. */
export const resolveOnThisMachine: Resolve = async (host) => {
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.flatMap(({ address }) => hostAddress(address));
};

/** The address as a list, which is empty for what is none. */
export function hostAddress(text: string): HostAddress[] {
  const family = isIP(text);
  return family === 4 || family === 6 ? [{ address: text, family }] : [];
}

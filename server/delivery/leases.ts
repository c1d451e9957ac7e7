/** Keeps the leases of what is being worked on, and says when one is lost. */
import { type Lease, renewLeases } from '../store/deliveries.js';
import type { Database } from '../store/database.js';

export interface Leases {
  hold: (lease: Lease) => HeldLease;
  /** Ends the work on everything that is still held, and returns it. */
  endAll: () => Lease[];
}

export interface HeldLease {
  /** Aborted when the lease is lost, or when everything ends. */
  signal: AbortSignal;
  letGo: () => void;
}

const keyOf = ({ eventId, webhookId, owner }: Lease) => `${eventId} ${webhookId} ${owner}`;

export function holdLeases(
  database: Database,
  { leaseMs, onError }: { leaseMs: number; onError: (error: unknown) => void },
): Leases {
  const held = new Map<string, { lease: Lease; work: AbortController }>();
  let isRenewing = false;

  const renew = async () => {
    const leases = [...held.values()].map(({ lease }) => lease);
    if (isRenewing || leases.length === 0) return;
    isRenewing = true;
    try {
      const kept = new Set((await renewLeases(database, leases, leaseMs)).map(keyOf));
      for (const lost of leases.map(keyOf).filter((key) => !kept.has(key))) {
        held.get(lost)?.work.abort();
        held.delete(lost);
      }
    } catch (error) {
      onError(error);
    } finally {
      isRenewing = false;
    }
  };
  const timer = setInterval(() => void renew(), leaseMs / 4);

  return {
    hold(lease) {
      const work = new AbortController();
      held.set(keyOf(lease), { lease, work });
      return { signal: work.signal, letGo: () => held.delete(keyOf(lease)) };
    },
    endAll() {
      clearInterval(timer);
      const ended = [...held.values()];
      held.clear();
      for (const { work } of ended) work.abort();
      return ended.map(({ lease }) => lease);
    },
  };
}

/** Announces changes of keys, agents and accounts, and listens for those of other instances, so that caches can be invalidated. */
import type { Transaction } from './connection.js';
import type { DirectConnection } from './direct-connection.js';
import { listen, type Listener } from './listen.js';
import { notify } from './notify.sql.js';

export interface ChangeListeners extends DirectConnection {
  /** The key, agent or account with this id has changed. */
  onChange: (id: string) => void;
  /** Payload handlers for further channels on the same connection. */
  channels?: Record<string, (payload: string) => void>;
  /** Notifications may have been missed: invalidate everything that depends on them. */
  onReset: () => void;
  onError: (error: unknown) => void;
}

/** The payload is the id of a key, agent or account. */
const channel = 'ahs_invalidate';

/** Called in the transaction of the change, so that no instance keeps an outdated cache entry. */
export function announceChanges(transaction: Transaction, ids: readonly string[]): Promise<void> {
  return notify(transaction, channel, ids);
}

export function listenForChanges({
  onChange,
  channels,
  ...options
}: ChangeListeners): Promise<Listener> {
  return listen({ ...options, channels: { ...channels, [channel]: onChange } });
}

/** Announces changes of keys, agents and accounts, and listens for those of other instances, so that caches can be invalidated. */
import type { Transaction } from './connection.js';
import type { DirectConnection } from './direct-connection.js';
import { listen, type Listener } from './listen.js';
import { notify } from './notify.sql.js';

export interface ChangeListeners extends DirectConnection {
  onKey?: (keyId: string) => void;
  onAgent?: (agentId: string) => void;
  onAccount?: (accountId: string) => void;
  /** Payload handlers for further channels on the same connection. */
  channels?: Record<string, (payload: string) => void>;
  /** Notifications may have been missed: invalidate everything that depends on them. */
  onReset: () => void;
  onError: (error: unknown) => void;
}

/** The payload is `kind:id`. */
const channel = 'ahs_invalidate';

/** Called in the transaction of the change, so that no instance keeps an outdated cache entry. */
export function announceChange(
  transaction: Transaction,
  kind: 'key' | 'agent' | 'account',
  ids: readonly string[],
): Promise<void> {
  const payloads = ids.map((id) => `${kind}:${id}`);
  return notify(transaction, channel, payloads);
}

export function listenForChanges(listeners: ChangeListeners): Promise<Listener> {
  const byKind: Record<string, ((id: string) => void) | undefined> = {
    key: listeners.onKey,
    agent: listeners.onAgent,
    account: listeners.onAccount,
  };
  return listen({
    ...listeners,
    channels: {
      ...listeners.channels,
      [channel]: (payload) => {
        const [kind = '', id = ''] = payload.split(':');
        byKind[kind]?.(id);
      },
    },
  });
}

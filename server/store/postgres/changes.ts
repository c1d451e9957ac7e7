/** Listens for changes to keys, agents and accounts by any instance, so that cache entries can be invalidated. */
import { listen, type Listener } from './listen.js';

export interface ChangeListeners {
  url: string;
  onKey?: (keyId: string) => void;
  onAgent?: (agentId: string) => void;
  onAccount?: (accountId: string) => void;
  /** Payload handlers of further channels on the same connection. */
  channels?: Record<string, (payload: string) => void>;
  /** Notifications may have been missed: invalidate everything that depends on them. */
  onReset: () => void;
  onError: (error: unknown) => void;
}

/** Triggers in the migrations notify it; the payload is `kind:id`. */
const channel = 'ahs_invalidate';

export function listenForChanges(listeners: ChangeListeners): Promise<Listener> {
  const { url, onReset, onError } = listeners;
  const byKind: Record<string, ((id: string) => void) | undefined> = {
    key: listeners.onKey,
    agent: listeners.onAgent,
    account: listeners.onAccount,
  };
  return listen({
    url,
    onReset,
    onError,
    channels: {
      ...listeners.channels,
      [channel]: (payload) => {
        const [kind = '', id = ''] = payload.split(':');
        byKind[kind]?.(id);
      },
    },
  });
}

/** Listens for changes of keys, agents and accounts, made by any instance, so that caches can drop what is outdated. */
import { listen, type Listener } from './listen.js';

export interface ChangeListeners {
  url: string;
  onKey?: (keyId: string) => void;
  onAgent?: (agentId: string) => void;
  onAccount?: (accountId: string) => void;
  /** Further channels on the same connection: what to do with a payload. */
  channels?: Record<string, (payload: string) => void>;
  /** Announcements may have been missed: whatever they keep fresh must be dropped. */
  onReset: () => void;
  onError: (error: unknown) => void;
}

/** Of the triggers in the migrations; the payload is `kind:id`. */
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

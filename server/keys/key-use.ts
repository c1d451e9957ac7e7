/** Records when keys were last used, in batches, since a write per request would be too expensive. */
import type { Database } from '../postgres/database.js';
import { touchKeys } from './touch.sql.js';
import { currentDate } from '../lib/time/clock.js';

interface KeyUse {
  record: (keyId: string) => void;
  /** Writes pending records. */
  close: () => Promise<void>;
}

export function trackKeyUse(
  database: Database,
  { everyMs = 5_000, onError }: { everyMs?: number; onError: (error: unknown) => void },
): KeyUse {
  let uses = new Map<string, Date>();

  const flush = async () => {
    if (uses.size === 0) return;
    const pending = uses;
    uses = new Map();
    try {
      await touchKeys(database, pending);
    } catch (error) {
      // Not retried, since the next use of the key is recorded anyway.
      onError(error);
    }
  };

  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();

  return {
    record: (keyId) => {
      uses.set(keyId, currentDate());
    },
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

/** Notes when keys were last used, and writes it down now and then: a write per request would cost more than it tells. */
import type { Database } from '../../store/database.js';
import { touchKeys } from '../../store/keys.js';

export interface KeyUse {
  note: (keyId: string) => void;
  /** Writes what is still unwritten. */
  flush: () => Promise<void>;
  close: () => Promise<void>;
}

export function trackKeyUse(
  database: Database,
  { everyMs = 5_000, onError }: { everyMs?: number; onError: (error: unknown) => void },
): KeyUse {
  let uses = new Map<string, Date>();

  const flush = async () => {
    if (uses.size === 0) return;
    const noted = uses;
    uses = new Map();
    try {
      await touchKeys(database, noted);
    } catch (error) {
      // Worth a line in the log, not a failed request: the next use is noted again.
      onError(error);
    }
  };

  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();

  return {
    note: (keyId) => {
      uses.set(keyId, new Date());
    },
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

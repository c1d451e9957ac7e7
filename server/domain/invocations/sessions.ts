/**
 * Turns of one session, one after the other, whichever instances they run on. Nobody holds a connection while waiting:
 * who waits is woken when the turn before is over, and looks by itself now and then in case the news was lost.
 */
import { orAborted } from '../../lib/abort.js';
import { type Bell, createBell } from '../../lib/bell.js';
import { type Session, type SessionLeases, sessionKey } from '../../store/sessions.js';

export interface Sessions {
  /** Resolves when it is the owner's turn. Rejects with the signal's reason if that comes first. */
  enter: (session: Session, owner: string, options: EnterOptions) => Promise<SessionLease>;
  /** A session became free. */
  wake: (key: string) => void;
  /** News may have been missed. */
  wakeAll: () => void;
}

export interface EnterOptions {
  signal: AbortSignal;
  /** Called when another process took the turn over. */
  onLost: () => void;
}

export interface SessionLease {
  owner: string;
  /** Ends the renewal of the lease, which whoever records the turn gives up. */
  end: () => void;
  /** Gives the lease up where nothing is recorded. */
  leave: () => Promise<void>;
}

export interface SessionTimes {
  renewEveryMs?: number;
  pollEveryMs?: number;
}

export function createSessions(
  leases: SessionLeases,
  { renewEveryMs = 3_000, pollEveryMs: lookEveryMs = 500 }: SessionTimes = {},
): Sessions {
  const bells = new Map<string, Bell>();
  const contenders = new Map<string, Promise<void>>();

  const takeWhenFree = async (session: Session, owner: string, signal: AbortSignal) => {
    const key = sessionKey(session);
    const bell = createBell();
    bells.set(key, bell);
    try {
      while (!(await leases.take(session, owner))) {
        await bell.wait(lookEveryMs * (0.5 + Math.random()), signal);
      }
    } finally {
      bells.delete(key);
    }
  };

  /** Of those that wait on this instance one at a time contends with other instances, in the order of their arrival. */
  const inLine = async (key: string, signal: AbortSignal, contend: () => Promise<void>) => {
    const before = contenders.get(key);
    const step = (before ? orAborted(before, signal) : Promise.resolve()).then(contend);
    const over = Promise.allSettled([before, step]).then(() => {
      if (contenders.get(key) === over) contenders.delete(key);
    });
    contenders.set(key, over);
    await step;
  };

  return {
    async enter(session, owner, { signal, onLost }) {
      await inLine(sessionKey(session), signal, () => takeWhenFree(session, owner, signal));
      const renewal = setInterval(() => {
        // A renewal that fails is tried again; if the lease ends meanwhile, the record of the turn is refused.
        leases.renew(session, owner).then(
          (isOurs) => {
            if (!isOurs) onLost();
          },
          () => undefined,
        );
      }, renewEveryMs);
      const end = () => {
        clearInterval(renewal);
      };
      return {
        owner,
        end,
        leave: async () => {
          end();
          await leases.release(session, owner);
        },
      };
    },
    wake: (key) => bells.get(key)?.ring(),
    wakeAll: () => {
      for (const bell of bells.values()) bell.ring();
    },
  };
}

/**
 * Notices that the database hangs. Nothing else does: its connections stay open, and statements just never return. While
 * there is work on the database, it is asked something trivial on a connection of its own, so that statements that take
 * long for good reasons, and pools that are exhausted, look different.
 */
import type { ConnectionPool } from './pool.js';
import { StoreUnavailable } from './errors.js';
import { readServerSettings, type ServerSettings } from './sql/server-check.js';

export interface HeartbeatOptions {
  /** Has one connection, for this only. */
  connection: ConnectionPool;
  /** Whether anybody would notice. */
  isNeeded: () => boolean;
  onHang: (reason: Error) => void;
  onRecovery: () => void;
}

export interface Heartbeat {
  /** Rejects if there is no answer within the time that a load balancer waits for one. */
  check: () => Promise<ServerSettings>;
  stop: () => Promise<void>;
}

const intervalMs = 1_000;
const timeoutMs = 1_000;
/** In a row. All but the first have a new connection, in case that only the old one was lost. */
const attempts = 3;

class NoResponse extends StoreUnavailable {
  override name = 'NoResponse';
}

export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { connection, isNeeded, onHang, onRecovery } = options;
  let hangs = false;
  let checking: Promise<ServerSettings> | undefined;
  let isBeating = false;

  const check = () =>
    (checking ??= answerWithin(readServerSettings(connection.pool), timeoutMs)
      .catch((error: unknown) => {
        if (error instanceof NoResponse) {
          connection.suspend(error);
          connection.resume();
        }
        throw error;
      })
      .finally(() => {
        checking = undefined;
      }));

  /** Any answer counts, also that the database refuses connections: then statements fail at once by themselves. */
  const responds = () =>
    check().then(
      () => true,
      (error: unknown) => !(error instanceof NoResponse),
    );

  const beat = async () => {
    isBeating = true;
    let isAlive = await responds();
    for (let n = 1; n < attempts && !isAlive && !hangs; n += 1) isAlive = await responds();
    isBeating = false;
    if (isAlive !== hangs) return;
    hangs = !isAlive;
    if (hangs) onHang(new StoreUnavailable('The database does not respond.'));
    else onRecovery();
  };
  const timer = setInterval(() => {
    if (!isBeating && (hangs || isNeeded())) void beat();
  }, intervalMs).unref();

  return {
    check,
    stop: async () => {
      clearInterval(timer);
      await connection.pool.end();
    },
  };
}

async function answerWithin<Answer>(answer: Promise<Answer>, ms: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      // If this process was held up, the answer is here already, and is read before the callback of setImmediate runs.
      setImmediate(() => {
        reject(new NoResponse(`The database did not answer within ${ms} ms.`));
      });
    }, ms);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

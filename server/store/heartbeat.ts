/**
 * Notices that the database hangs. Nothing else does: its connections stay open, and statements just never return. While
 * there is work on the database, it is asked something trivial on a connection of its own, so that statements that take
 * long for good reasons, and pools that are exhausted, look different.
 */
import { withTimeLimit } from '../lib/time-limit.js';
import type { ConnectionPool } from './pool.js';
import { StoreUnavailable } from './errors.js';
import { readServerSettings, type ServerSettings } from './sql/server-check.js';

export interface HeartbeatOptions {
  /** Has one connection, for this only. */
  connection: ConnectionPool;
  /** Whether anybody would notice. */
  isNeeded: () => boolean;
  /** What the database sent on connections for other work. While it sends anything, it is slow at most. */
  bytesReceived: () => number;
  onHang: (reason: Error) => void;
  onRecovery: () => void;
}

export interface Heartbeat {
  /** Rejects if there is no answer within a second. */
  check: () => Promise<ServerSettings>;
  stop: () => Promise<void>;
}

const intervalMs = 1_000;
const timeoutMs = 1_000;
/** In a row. All but the first are on a new connection, in case that only the old one was lost. */
const attempts = 3;

class NoResponse extends StoreUnavailable {
  override name = 'NoResponse';
}

export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { connection, isNeeded, bytesReceived, onHang, onRecovery } = options;
  let checking: Promise<ServerSettings> | undefined;
  let isBeating = false;
  let isStopped = false;

  const check = () =>
    (checking ??= withTimeLimit(
      readServerSettings(connection.pool),
      timeoutMs,
      new NoResponse(`The database did not answer within ${timeoutMs} ms.`),
    )
      .catch((error: unknown) => {
        if (error instanceof NoResponse) {
          // The next check has a new connection.
          connection.suspend(error);
          connection.resume();
        }
        throw error;
      })
      .finally(() => {
        checking = undefined;
      }));

  /** Any answer counts, also that the database refuses connections: then statements fail at once by themselves. */
  const responds = () => {
    const before = bytesReceived();
    return check().then(
      () => true,
      (error: unknown) => !(error instanceof NoResponse) || bytesReceived() > before,
    );
  };

  const respondsAtLast = async () => {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      if (await responds()) return true;
    }
    return false;
  };

  const beat = async () => {
    if (await respondsAtLast()) return;
    onHang(new StoreUnavailable('The database does not respond.'));
    while (!isStopped && !(await responds()));
    if (!isStopped) onRecovery();
  };
  const timer = setInterval(() => {
    if (isBeating || !isNeeded()) return;
    isBeating = true;
    void beat().finally(() => {
      isBeating = false;
    });
  }, intervalMs).unref();

  return {
    check,
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await connection.pool.end();
    },
  };
}

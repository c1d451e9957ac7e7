/**
 * Detects that the database hangs: connections stay open, but statements never return. Runs a trivial query every second on a
 * separate connection, so that neither slow statements nor an exhausted pool look like a hang. Its answers also tell the database's time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { withTimeLimit } from '../../lib/async/time-limit.js';
import type { ClockReading } from '../../lib/time/clock.js';
import { PostgresClient } from './client.js';
import { StoreUnavailable } from './errors.js';
import { readServerSettings, type ServerSettings } from './server-check.sql.js';

interface HeartbeatOptions {
  /** Must be connected. The heartbeat closes it when it stops. */
  client: PostgresClient;
  /** For new connections when this one is lost. */
  connection: pg.ClientConfig;
  onHang: (reason: Error) => void;
  /** Called when the database itself answers a query again. */
  onRecovery: () => void;
  /** Called when the database becomes read-only, and when it accepts writes again. */
  onReadOnly: (isReadOnly: boolean) => void;
  /** Called with every answer. */
  onClock: (reading: ClockReading) => void;
}

interface Heartbeat {
  /** Queries the database now. Rejects if it does not answer in time. */
  check: () => Promise<ServerSettings>;
  stop: () => Promise<void>;
}

const intervalMs = 1_000;
/** How long a check waits, such as the one of `/readyz`. */
const checkTimeoutMs = 1_000;
/** After this time without an answer, the database counts as hung. Longer than a busy server or process takes. */
const hangMs = 3_000;

class NoResponse extends StoreUnavailable {
  override name = 'NoResponse';
}

export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { connection, onHang, onRecovery, onReadOnly, onClock } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let client: PostgresClient | undefined = options.client;
  let asking: Promise<ServerSettings> | undefined;
  let isHung = false;
  let wasReadOnly = false;

  const readSettings = async (): Promise<ServerSettings> => {
    // Replaces a connection that was terminated.
    if (!client || client.connection.stream.destroyed) {
      client = new PostgresClient(connection);
      await client.connect();
    }
    return readServerSettings(client);
  };

  /** The next query opens a new connection. */
  const disconnect = () => {
    client?.connection.stream.destroy();
    client = undefined;
    asking = undefined;
  };

  const ask = (timeoutMs: number): Promise<ServerSettings> => {
    const question = (asking ??= readSettings().finally(() => {
      if (asking === question) asking = undefined;
    }));
    const noResponse = new NoResponse(`The database did not answer within ${timeoutMs} ms.`);
    return withTimeLimit(question, timeoutMs, noResponse);
  };

  const beat = async () => {
    try {
      const { isReadOnly, clock } = await ask(hangMs);
      onClock(clock);
      if (isHung && !signal.aborted) onRecovery();
      isHung = false;
      if (isReadOnly !== wasReadOnly) onReadOnly(isReadOnly);
      wasReadOnly = isReadOnly;
      // After a failover, a new connection may lead to the new primary while this one leads to the old one.
      if (isReadOnly) disconnect();
    } catch (error) {
      disconnect();
      // Other errors do not begin a hang: if the database refuses connections, statements fail at once anyway. Nor do they end one: a
      // pooler that accepts connections and reports an error says nothing about the database behind it.
      if (error instanceof NoResponse) {
        if (!isHung) onHang(new StoreUnavailable('The database does not respond.'));
        isHung = true;
        return;
      }
    }
    if (signal.aborted) return;
    await delay(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
  };

  const beatUntilStopped = async () => {
    while (!signal.aborted) await beat();
  };
  const beating = beatUntilStopped();

  return {
    check: () => ask(checkTimeoutMs),
    stop: async () => {
      stopping.abort();
      // A pending query may never be answered.
      if (asking) disconnect();
      await beating;
      await client?.end();
    },
  };
}

/**
 * Notices that the database hangs: its connections stay open, and statements never return. Once a second the database is asked
 * something trivial on a connection of its own, so that neither slow statements nor an exhausted pool look like a hang.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { withTimeLimit } from '../lib/time-limit.js';
import { PostgresClient } from './client.js';
import { StoreUnavailable } from './errors.js';
import { readServerSettings, type ServerSettings } from './sql/server-check.js';

export interface HeartbeatOptions {
  connection: pg.ClientConfig;
  onHang: (reason: Error) => void;
  onRecovery: () => void;
}

export interface Heartbeat {
  /** Asks the database now. Rejects if there is no answer within a second. */
  check: () => Promise<ServerSettings>;
  stop: () => Promise<void>;
}

const intervalMs = 1_000;
const timeoutMs = 1_000;
/** In a row. All but the first are on a new connection, in case only the old one was lost. */
const missesOfHang = 3;

class NoResponse extends StoreUnavailable {
  override name = 'NoResponse';
}

export function startHeartbeat({ connection, onHang, onRecovery }: HeartbeatOptions): Heartbeat {
  const stopping = new AbortController();
  const { signal } = stopping;
  let client: PostgresClient | undefined;
  let checking: Promise<ServerSettings> | undefined;
  let misses = 0;

  const ask = async (): Promise<ServerSettings> => {
    if (!client) {
      const opened = new PostgresClient(connection);
      opened.once('end', () => {
        if (client === opened) client = undefined;
      });
      client = opened;
      await opened.connect();
    }
    return readServerSettings(client);
  };

  const disconnect = () => {
    client?.connection.stream.destroy();
    client = undefined;
  };

  /** Any answer ends a hang, also that the database refuses connections: then statements fail at once by themselves. */
  const onAnswer = () => {
    if (misses >= missesOfHang) onRecovery();
    misses = 0;
  };

  const onFailure = (error: unknown) => {
    disconnect();
    if (!(error instanceof NoResponse)) {
      onAnswer();
      return;
    }
    misses += 1;
    if (misses === missesOfHang) onHang(new StoreUnavailable('The database does not respond.'));
  };

  const askInTime = async (): Promise<ServerSettings> => {
    const noResponse = new NoResponse(`The database did not answer within ${timeoutMs} ms.`);
    try {
      const settings = await withTimeLimit(ask(), timeoutMs, noResponse);
      onAnswer();
      return settings;
    } catch (error) {
      onFailure(error);
      throw error;
    } finally {
      checking = undefined;
    }
  };

  const check = () => (checking ??= askInTime());

  const beat = async () => {
    while (!signal.aborted) {
      await check().catch(() => undefined);
      // After a miss it asks again at once.
      if (misses === 0) {
        await delay(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  };
  const beating = beat();

  return {
    check,
    stop: async () => {
      stopping.abort();
      await beating;
      await client?.end();
    },
  };
}

/** Listens for NOTIFY on a dedicated connection and reconnects when it is lost. */
import { setTimeout as delay } from 'node:timers/promises';
import { PostgresClient } from '../lib/net/postgres-client.js';
import { explainConnectionFailure } from './connection-problem.js';
import { type DirectConnection, applicationName } from './direct-connection.js';
import { listenOn } from './notify.sql.js';
import { readServerSettings } from './server-check.sql.js';

export interface ListenOptions extends DirectConnection {
  /** Payload handlers by channel. */
  channels: Record<string, (payload: string) => void>;
  /** Called after each reconnect: notifications may have been missed, so everything that depends on them is stale. */
  onReset: () => void;
  onError?: (error: unknown) => void;
  /** How often an idle connection is checked. */
  heartbeatMs?: number;
}

export interface Listener {
  close(): Promise<void>;
}

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 5_000;

/** How long the database may take to answer on the connection. */
const ANSWER_TIMEOUT_MS = 5_000;

/** How long the database may delay a shutdown. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Resolves once the first connection listens. Rejects with a DatabaseProblem if it cannot be opened. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { onReset, onError = () => undefined } = options;
  const stop = new AbortController();
  const isStopped = () => stop.signal.aborted;
  let client = createClient(options);
  await subscribe(client, options);

  const keepListening = async () => {
    while (!isStopped()) {
      await untilLost(client, options, stop.signal).catch(onError);
      let wait = FIRST_RETRY_MS;
      while (!isStopped()) {
        try {
          client = createClient(options);
          await subscribe(client, options);
          onReset();
          break;
        } catch (error) {
          onError(error);
          await delay(wait, undefined, { signal: stop.signal }).catch(() => undefined);
          wait = Math.min(wait * 2, LAST_RETRY_MS);
        }
      }
    }
    await client.end().catch(() => undefined);
  };
  const finished = keepListening();
  return {
    close: async () => {
      stop.abort();
      const forceTimer = setTimeout(() => {
        client.connection.stream.destroy(new Error('The listener is closed.'));
      }, CLOSE_TIMEOUT_MS);
      await finished;
      clearTimeout(forceTimer);
    },
  };
}

function createClient({ url, channels }: ListenOptions): PostgresClient {
  const client = new PostgresClient({
    connectionString: url,
    application_name: applicationName('listener'),
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
  });
  return client.on('notification', ({ channel, payload = '' }) => channels[channel]?.(payload));
}

async function subscribe(
  client: PostgresClient,
  { url, variable = 'DATABASE_URL', channels }: ListenOptions,
): Promise<void> {
  try {
    await client.connect();
    for (const channel of Object.keys(channels)) {
      await listenOn(client, channel);
    }
  } catch (cause) {
    await client.end().catch(() => undefined);
    throw explainConnectionFailure(url, variable, cause);
  }
}

/** Resolves when the signal is aborted; rejects when the connection closes or stops responding. */
async function untilLost(
  client: PostgresClient,
  { heartbeatMs = 10_000 }: ListenOptions,
  signal: AbortSignal,
): Promise<void> {
  const ended = new Promise<'ended'>((resolve) =>
    client.once('end', () => {
      resolve('ended');
    }),
  );
  while (!signal.aborted) {
    const pause = delay(heartbeatMs, 'heartbeat' as const, { signal, ref: false }).catch(
      () => 'stopped' as const,
    );
    const event = await Promise.race([ended, pause]);
    if (event === 'stopped') return;
    if (event === 'ended') throw new Error('The notification connection was closed.');
    try {
      await readServerSettings(client);
    } catch (cause) {
      await client.end().catch(() => undefined);
      throw new Error('The notification connection does not respond.', { cause });
    }
  }
}

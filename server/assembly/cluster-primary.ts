/**
 * The primary process of WORKERS: runs that many instances of the service on one port, replaces those that die, and all of
 * them, one by one, on SIGHUP. It serves no request itself; with an embedded PostgreSQL it is the one that runs it.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { relayOutput } from '../lib/terminal.js';
import { handOver, isReady, type Ready } from './cluster-worker.js';
import { createClusterMetrics } from './cluster-metrics.js';
import { setUpOnce } from './first-start.js';
import { openInfrastructure } from './infrastructure.js';
import type { RunningService } from './running-service.js';
import { createTeardown } from './teardown.js';
import { listenForScrapes, metricsEndpoint } from './telemetry.js';

/** A worker that lives for shorter than this died of its start, and the next would too: those are started less and less often. */
const stableMs = 10_000;
const initialRestartDelayMs = 500;
const maxRestartDelayMs = 30_000;
/** The primary looks something up at the start, and no more. */
const ownConnections = 2;
/** What a worker needs besides the time that the configuration gives it. */
const exitMarginMs = 5_000;

export async function startWorkers(config: Config, log: Logger): Promise<RunningService> {
  const database = { ...config.database, poolSize: ownConnections };
  const infrastructure = await openInfrastructure(
    { ...config, database },
    { embedded: 'start', log },
  );
  const metrics = config.metrics && createClusterMetrics(infrastructure.database);
  const port = config.port === 0 ? await findFreePort(config.host) : config.port;
  const workers = createWorkers({ ...config, port }, log, (worker) => metrics?.track(worker));
  const teardown = createTeardown();
  teardown.add(infrastructure.close);
  try {
    const scrapes = metrics && metricsEndpoint(config, metrics.scrape);
    const scrapeListener = await listenForScrapes(config, scrapes);
    teardown.add(scrapeListener.close);
    teardown.add(workers.stop);
    // One first: what keeps it from starting would keep all of them, and is to be said once.
    const { url } = await workers.start();
    await Promise.all(Array.from({ length: config.workers - 1 }, workers.start));
    process.on('SIGHUP', () => void workers.replaceAll());
    return {
      url,
      metricsUrl: scrapeListener.url,
      firstKey: await setUpOnce(infrastructure.database, infrastructure.secrets),
      stop: teardown.run,
    };
  } catch (error) {
    await teardown.run();
    throw error;
  }
}

/** For PORT=0. The system would choose another one whenever no worker is left, and the first has been announced. */
async function findFreePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

interface Workers {
  /** Resolves when the worker listens; rejects if it ends before. */
  start: () => Promise<Ready>;
  /** Each gets a successor before it stops, so that there is always one that listens. */
  replaceAll: () => Promise<void>;
  stop: () => Promise<void>;
}

function createWorkers(config: Config, log: Logger, onStart: (worker: Worker) => void): Workers {
  const { lameDuckMs, port, shutdownTimeoutMs } = config;
  /** Those that are to be there; one that is stopped on purpose is not. */
  const serving = new Set<Worker>();
  let isStopping = false;
  let earlyDeaths = 0;
  let replacing: Promise<void> | undefined;
  cluster.setupPrimary({ silent: true });

  const start = async (): Promise<Ready> => {
    // A worker writes to a pipe, from which it would conclude that nobody sits before a terminal.
    const worker = cluster.fork({ LAME_DUCK_MS: lameDuckMs, PORT: port });
    const startedAt = performance.now();
    relayOutput(worker.process);
    onStart(worker);
    worker.on('error', (error) => {
      log.error({ pid: worker.process.pid, err: error }, 'a worker cannot be reached');
    });
    serving.add(worker);
    const ready = await readiness(worker).catch((error: unknown) => {
      serving.delete(worker);
      throw error;
    });
    worker.once('exit', (code: number | null, signal: string | null) => {
      if (!serving.delete(worker) || isStopping) return;
      log.error({ pid: worker.process.pid, code, signal }, 'a worker died; starting another');
      earlyDeaths = performance.now() - startedAt > stableMs ? 0 : earlyDeaths + 1;
      void restart();
    });
    return ready;
  };

  const restart = async () => {
    for (;;) {
      if (earlyDeaths > 0) {
        const backoff = initialRestartDelayMs * 2 ** (earlyDeaths - 1);
        await delay(Math.min(maxRestartDelayMs, backoff));
      }
      // While they are replaced, one that dies has its successor already.
      if (isStopping || serving.size >= config.workers) return;
      try {
        await start();
        return;
      } catch (error) {
        earlyDeaths += 1;
        log.error({ err: error }, 'starting a worker failed');
      }
    }
  };

  /** Waits for its end as long as the configuration allows. */
  const exit = async (worker: Worker) => {
    if (worker.isDead()) return;
    const timer = setTimeout(
      () => worker.process.kill('SIGKILL'),
      lameDuckMs + shutdownTimeoutMs + exitMarginMs,
    );
    await once(worker, 'exit');
    clearTimeout(timer);
  };

  const replace = async () => {
    log.info('replacing the workers one by one');
    for (const worker of [...serving]) {
      if (isStopping) return;
      await start();
      // It may have died meanwhile.
      if (!serving.delete(worker)) continue;
      handOver(worker);
      await exit(worker);
    }
    log.info('all workers are replaced');
  };

  return {
    start,
    replaceAll: () =>
      (replacing ??= replace()
        .catch((error: unknown) => {
          log.error(
            { err: error },
            'replacing the workers failed; those that were not replaced go on',
          );
        })
        .finally(() => {
          replacing = undefined;
        })),
    stop: async () => {
      isStopping = true;
      const all = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
      for (const worker of all) worker.process.kill('SIGTERM');
      await Promise.all(all.map(exit));
    },
  };
}

function readiness(worker: Worker): Promise<Ready> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: unknown) => {
      if (!isReady(message)) return;
      worker.off('message', onMessage);
      worker.off('exit', onExit);
      resolve(message);
    };
    const onExit = () => {
      reject(new Error('A worker process ended while it started. It has said why.'));
    };
    worker.on('message', onMessage);
    worker.on('exit', onExit);
  });
}

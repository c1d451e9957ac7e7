/**
 * The primary process of WORKERS: runs that many instances of the service on one port and replaces those that die or hang. It serves
 * no requests itself. It also runs the embedded PostgreSQL, if there is one.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { relayOutput } from '../lib/system/log-output.js';
import { scrapeWorkers } from './cluster-metrics.js';
import { isReady, type Ready } from './cluster-worker.js';
import { setUpInstallation } from './first-start.js';
import { openInfrastructure } from './infrastructure.js';
import type { RunningService } from './running-service.js';
import { createTeardown } from '../lib/async/teardown.js';
import { listenForScrapes, metricsEndpoint } from './telemetry.js';
import { onSilence } from './worker-beats.js';

/** A worker that died sooner probably failed for a lasting reason, so its replacement starts after a backoff. */
const stableMs = 10_000;
const initialBackoffMs = 500;
const maxBackoffMs = 30_000;
/** The primary needs few connections: it reads settings at the start and measures the queues. */
const primaryPoolSize = 2;
/** Added to the configured shutdown times before a worker is killed. */
const exitMarginMs = 5_000;

export async function startWorkers(config: Config, log: Logger): Promise<RunningService> {
  const database = { ...config.database, poolSize: primaryPoolSize };
  const infrastructure = await openInfrastructure(
    { ...config, database },
    { embedded: 'start', waitMs: database.waitMs, log },
  );
  const teardown = createTeardown();
  teardown.add(infrastructure.close);
  try {
    const scrape = config.metrics && scrapeWorkers(infrastructure.database);
    const workers = createWorkers(config, log);
    teardown.add(workers.stop);
    // The first worker starts alone, so that a problem that affects all of them is reported once.
    const { url } = await workers.start();
    await Promise.all(Array.from({ length: config.workers - 1 }, workers.start));
    const endpoint = scrape && metricsEndpoint(config, scrape);
    const listener = await listenForScrapes(config, endpoint);
    teardown.add(listener.close);
    return {
      url,
      metricsUrl: listener.url,
      ...(await setUpInstallation(infrastructure.database, infrastructure.secrets)),
      stop: teardown.run,
    };
  } catch (error) {
    await teardown.run();
    throw error;
  }
}

interface Workers {
  /** Resolves when the worker listens; rejects if it exits before that. */
  start: () => Promise<Ready>;
  stop: () => Promise<void>;
}

function createWorkers({ lameDuckMs, shutdownTimeoutMs }: Config, log: Logger): Workers {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Consecutive workers that failed to start or died early. */
  let failures = 0;
  cluster.setupPrimary({ silent: true });

  const start = async (): Promise<Ready> => {
    // The default depends on whether a terminal is attached, which a worker cannot see.
    const worker = cluster.fork({ LAME_DUCK_MS: lameDuckMs });
    const startedAt = performance.now();
    const { pid: workerPid } = worker.process;
    relayOutput(worker.process);
    worker.on('error', (error) => {
      log.error({ worker_pid: workerPid, err: error }, 'a worker cannot be reached');
    });
    onSilence(worker, () => {
      log.error({ worker_pid: workerPid }, 'a worker does not respond; killing it');
      worker.process.kill('SIGKILL');
    });
    const ready = await readiness(worker);
    worker.once('exit', (code: number | null, endSignal: string | null) => {
      if (signal.aborted) return;
      log.error(
        { worker_pid: workerPid, code, signal: endSignal },
        'a worker died; starting another',
      );
      failures = performance.now() - startedAt > stableMs ? 0 : failures + 1;
      void replace();
    });
    return ready;
  };

  const replace = async () => {
    try {
      await delay(backoffMs(failures), undefined, { signal });
      await start();
    } catch (error) {
      if (signal.aborted) return;
      log.error({ err: error }, 'starting a worker failed');
      failures += 1;
      void replace();
    }
  };

  /** Kills the worker if it takes longer than the configuration allows. */
  const end = async (worker: Worker) => {
    if (worker.isDead()) return;
    worker.process.kill('SIGTERM');
    const timer = setTimeout(
      () => worker.process.kill('SIGKILL'),
      lameDuckMs + shutdownTimeoutMs + exitMarginMs,
    );
    await once(worker, 'exit');
    clearTimeout(timer);
  };

  return {
    start,
    stop: async () => {
      stopping.abort();
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
      await Promise.all(workers.map(end));
    },
  };
}

function backoffMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(maxBackoffMs, initialBackoffMs * 2 ** (failures - 1));
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
      reject(new Error('A worker process exited during its start. Its error is printed above.'));
    };
    worker.on('message', onMessage);
    worker.on('exit', onExit);
  });
}

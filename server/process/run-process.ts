/** Runs a program as a process: loads its configuration, starts it, and stops it on SIGTERM or SIGINT. */
import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { type Config, loadConfig, loadEnvironmentFile } from '../config/config.js';
import { createLog } from '../config/log.js';
import { messageOf } from '../lib/errors/error-code.js';
import { allowHeapGrowth } from '../lib/system/heap-growth.js';
import { logOutput } from '../lib/system/log-output.js';
import { ignoreOutputErrors, linesOf, terminal } from '../lib/system/terminal.js';

interface Running {
  stop: () => Promise<void>;
}

export async function runProcess(
  start: (config: Config, log: Logger) => Promise<Running>,
): Promise<void> {
  ignoreOutputErrors();
  // Node does not report what packages use that is deprecated, but the bundle contains them as if they were our own code.
  process.noDeprecation = true;
  try {
    const config = loadConfig(process.env, loadEnvironmentFile());
    const log = createProcessLog(config);
    // The primary has already logged the warnings of the configuration that its workers share.
    if (!cluster.isWorker) for (const warning of config.warnings ?? []) log.warn(warning);
    const starting = start(config, log);
    onStopSignals((signal) => {
      log.info({ signal }, 'stopping');
      void stop(starting, log);
    });
    await starting;
    allowHeapGrowth();
  } catch (error) {
    terminal.printError(...linesOf(messageOf(error)));
    process.exit(1);
  }
}

/** With several processes, each log line contains the process id. */
function createProcessLog({ logLevel, workers }: Config): Logger {
  const root = createLog(logLevel);
  const log = workers === 1 ? root : root.child({ pid: process.pid });
  logOutput().onRecovery((dropped) => {
    log.error({ dropped }, 'log lines were dropped while they could not be written');
  });
  return log;
}

/**
 * A process group gets a signal once from the terminal or systemd, and again from npm and the TypeScript runner, which
 * relay it. A repeat within this time is the same request; only a later one skips the graceful shutdown.
 */
const relayMs = 1_000;

function onStopSignals(stopGracefully: (signal: NodeJS.Signals) => void): void {
  let firstAt: number | undefined;
  const handle = (signal: NodeJS.Signals) => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      stopGracefully(signal);
    } else if (performance.now() - firstAt > relayMs) {
      process.exit(1);
    }
  };
  process.on('SIGTERM', handle).on('SIGINT', handle);
}

const exitDelayMs = 500;

/** Waits for a start in progress before it stops: interrupting one would leave PostgreSQL running. */
async function stop(starting: Promise<Running>, log: Logger): Promise<void> {
  // runProcess reports a failed start.
  const running = await starting.catch(() => undefined);
  await running?.stop().catch((error: unknown) => {
    log.error({ err: error }, 'shutdown failed');
    process.exit(1);
  });
  // Forces the exit if something keeps the process alive, such as a request to a trace collector.
  setTimeout(() => process.exit(), exitDelayMs).unref();
}

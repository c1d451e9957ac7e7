/** Runs a program as a process: loads its configuration, starts it, and stops it on SIGTERM or SIGINT. */
import type { Logger } from 'pino';
import { type Config, loadConfig, loadEnvironmentFile } from '../config/config.js';
import { createLog } from '../config/log.js';
import { messageOf } from '../lib/error-code.js';
import { linesOf, terminal } from '../lib/terminal.js';

interface Running {
  stop: () => Promise<void>;
}

export async function runProcess(
  start: (config: Config, log: Logger) => Promise<Running>,
): Promise<void> {
  try {
    loadEnvironmentFile();
    const config = loadConfig(process.env);
    const log = createLog(config.logLevel);
    const starting = start(config, log);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        // A second signal skips the graceful shutdown.
        process.once(signal, () => process.exit(1));
        log.info({ signal }, 'stopping');
        void stop(starting, log);
      });
    }
    await starting;
  } catch (error) {
    terminal.printError(...linesOf(messageOf(error)));
    process.exit(1);
  }
}

/** Waits for a start in progress before it stops: interrupting one would leave PostgreSQL running. */
async function stop(starting: Promise<Running>, log: Logger): Promise<void> {
  // runProcess reports a failed start.
  const running = await starting.catch(() => undefined);
  await running?.stop().catch((error: unknown) => {
    log.error({ err: error }, 'shutdown failed');
    process.exit(1);
  });
}

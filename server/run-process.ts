/** Runs something as a process: from its environment until a signal tells it to stop. */
import type { Logger } from 'pino';
import { type Config, loadConfig, loadEnvironmentFile } from './config.js';
import { messageOf } from './lib/error-code.js';
import { createLog } from './log.js';

export async function runProcess(
  start: (config: Config, log: Logger) => Promise<{ stop: () => Promise<void> }>,
): Promise<void> {
  try {
    loadEnvironmentFile();
    const config = loadConfig(process.env);
    const log = createLog(config.logLevel);
    const running = await start(config, log);

    const stop = (signal: NodeJS.Signals) => {
      // A second signal means that the person has no more patience.
      process.once(signal, () => process.exit(1));
      log.info({ signal }, 'stopping');
      running.stop().then(
        () => {
          process.exitCode = 0;
        },
        (error: unknown) => {
          log.error({ err: error }, 'did not stop cleanly');
          process.exit(1);
        },
      );
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  }
}

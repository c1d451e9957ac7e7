/** Runs something as a process: from its environment until a signal tells it to stop. */
import type { Logger } from 'pino';
import { type Config, loadConfig, loadEnvironmentFile } from '../config/config.js';
import { messageOf } from '../lib/error-code.js';
import { createLog } from '../config/log.js';

type Running = Promise<{ stop: () => Promise<void> }>;

export async function runProcess(start: (config: Config, log: Logger) => Running): Promise<void> {
  try {
    loadEnvironmentFile();
    const config = loadConfig(process.env);
    const log = createLog(config.logLevel);
    const starting = start(config, log);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        // A second signal means that the person has no more patience.
        process.once(signal, () => process.exit(1));
        log.info({ signal }, 'stopping');
        void stop(starting, log);
      });
    }
    await starting;
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  }
}

/** Told to stop while it starts, it starts to the end first: half a start would leave PostgreSQL running. */
async function stop(starting: Running, log: Logger): Promise<void> {
  // A start that fails is reported by whoever waits for it.
  const running = await starting.catch(() => undefined);
  await running?.stop().catch((error: unknown) => {
    log.error({ err: error }, 'did not stop cleanly');
    process.exit(1);
  });
}

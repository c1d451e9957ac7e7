/** `npm start`: the service as a process. */
import { loadConfig, loadEnvironmentFile } from './config.js';
import { messageOf } from './lib/error-code.js';
import { createLog } from './log.js';
import { startService } from './service.js';
import { welcome } from './welcome.js';

try {
  loadEnvironmentFile();
  const config = loadConfig(process.env);
  const log = createLog(config.logLevel);
  const starting = startService(config, log);

  const stop = async (signal: NodeJS.Signals) => {
    // A second signal means that the person has no more patience.
    process.once(signal, () => process.exit(1));
    log.info({ signal }, 'stopping');
    // Told to stop while it starts, it starts to the end first: half a start would leave PostgreSQL running.
    const service = await starting;
    await service.stop().catch((error: unknown) => {
      log.error({ err: error }, 'did not stop cleanly');
      process.exit(1);
    });
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      // A start that failed is reported below.
      stop(signal).catch(() => undefined);
    });
  }
  process.stdout.write(welcome(await starting));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
}

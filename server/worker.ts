/** `npm run worker`: delivers events in a process of its own, beside any number of others. */
import { startDeliveries } from './assembly/deliveries.js';
import { layFoundation } from './assembly/infrastructure.js';
import { runProcess } from './assembly/run-process.js';

await runProcess(async (config, log) => {
  const foundation = await layFoundation(config, {
    as: 'guest',
    log: (message) => {
      log.warn(message);
    },
  });
  const deliveries = await startDeliveries(config, foundation, log);
  process.stdout.write('Delivering events.\n');
  return {
    stop: async () => {
      await deliveries.stop(config.shutdownTimeoutMs);
      await foundation.close();
    },
  };
});

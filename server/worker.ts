/** `npm run worker`: delivers events in a process of its own, beside any number of others. */
import { startDeliveries } from './assembly/deliveries.js';
import { openInfrastructure } from './assembly/infrastructure.js';
import { runProcess } from './assembly/run-process.js';

await runProcess(async (config, log) => {
  const infrastructure = await openInfrastructure(config, {
    as: 'guest',
    log: (message) => {
      log.warn(message);
    },
  });
  const deliveries = await startDeliveries(config, infrastructure, log);
  process.stdout.write('Delivering events.\n');
  return {
    stop: async () => {
      await deliveries.stop(config.shutdownTimeoutMs);
      await infrastructure.close();
    },
  };
});

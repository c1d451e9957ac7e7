/** `npm run worker`: delivers events in a separate process. Any number of workers may run. */
import { startDeliveries } from './assembly/deliveries.js';
import { openInfrastructure } from './assembly/infrastructure.js';
import { runProcess } from './assembly/run-process.js';
import { terminal } from './lib/terminal.js';

await runProcess(async (config, log) => {
  const infrastructure = await openInfrastructure(config, { embedded: 'join', log });
  const deliveries = await startDeliveries(config, infrastructure, log);
  terminal.print('Delivering events.');
  return {
    stop: async () => {
      await deliveries.stop(config.shutdownTimeoutMs);
      await infrastructure.close();
    },
  };
});

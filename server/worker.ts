/** `npm run worker`: delivers events in a separate process. Any number of workers may run. */
import './lib/supported-node.js';

const [{ runProcess }, { openInfrastructure }, { startDeliveries }, { announceLine }] =
  await Promise.all([
    import('./assembly/run-process.js'),
    import('./assembly/infrastructure.js'),
    import('./assembly/deliveries.js'),
    import('./assembly/announce.js'),
  ]);

await runProcess(async (config, log) => {
  const infrastructure = await openInfrastructure(config, { embedded: 'join', log });
  const deliveries = await startDeliveries(config, infrastructure, log);
  announceLine(log, 'Delivering events.');
  return {
    stop: async () => {
      await deliveries.stop(config.shutdownTimeoutMs);
      await infrastructure.close();
    },
  };
});

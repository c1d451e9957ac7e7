/** `npm start`: runs the service, in this process or in several. */
import './lib/supported-node.js';
import './lib/heap-growth.js';

const [
  { default: cluster },
  primary,
  worker,
  { scrapeThroughPrimary },
  { runProcess },
  { startService },
  { announce },
] = await Promise.all([
  import('node:cluster'),
  import('./assembly/cluster-primary.js'),
  import('./assembly/cluster-worker.js'),
  import('./assembly/cluster-metrics.js'),
  import('./assembly/run-process.js'),
  import('./service.js'),
  import('./assembly/announce.js'),
]);

await runProcess(async (config, log) => {
  if (cluster.isWorker) {
    const scrapeAll = config.metrics && scrapeThroughPrimary();
    return worker.joinPrimary(await startService(config, log, { embedded: 'join', scrapeAll }));
  }
  const start = config.workers === 1 ? startService : primary.startWorkers;
  const service = await start(config, log);
  await announce(service, config, log);
  return service;
});

/** `npm start`: runs the service in one or several processes. */
import './lib/system/supported-node.js';
import './lib/system/heap-growth.js';

const [
  { default: cluster },
  { announce },
  { scrapeThroughPrimary },
  { startWorkers },
  { joinPrimary },
  { runProcess },
  { sendBeats },
  { startService },
] = await Promise.all([
  import('node:cluster'),
  import('./process/announce.js'),
  import('./process/cluster-metrics.js'),
  import('./process/cluster-primary.js'),
  import('./process/cluster-worker.js'),
  import('./process/run-process.js'),
  import('./process/worker-beats.js'),
  import('./service.js'),
]);

await runProcess(async (config, log) => {
  if (cluster.isWorker) {
    sendBeats();
    // Must run first: the primary waits for an answer from each worker.
    const scrapeCluster = config.metrics && scrapeThroughPrimary();
    return joinPrimary(await startService(config, log, { embedded: 'join', scrapeCluster }));
  }
  const service = await (config.workers > 1
    ? startWorkers(config, log)
    : startService(config, log));
  await announce(service, config, log);
  return service;
});

/** `npm start`: runs the service in one or several processes. */
import './lib/system/supported-node.js';
import './lib/system/heap-growth.js';

const [{ default: cluster }, { runProcess }] = await Promise.all([
  import('node:cluster'),
  import('./process/run-process.js'),
]);

/** Imported late, since it contains most of the program. */
const loadService = () => import('./service.js');

await runProcess(async (config, log) => {
  if (cluster.isWorker) {
    (await import('./process/worker-beats.js')).sendBeats();
    // Must run first: the primary waits for an answer from each worker.
    const scrapeCluster =
      config.metrics && (await import('./process/cluster-metrics.js')).scrapeThroughPrimary();
    const [{ joinPrimary }, { startService }] = await Promise.all([
      import('./process/cluster-worker.js'),
      loadService(),
    ]);
    return joinPrimary(await startService(config, log, { embedded: 'join', scrapeCluster }));
  }
  const start = async () => {
    if (config.workers > 1) {
      const { startWorkers } = await import('./process/cluster-primary.js');
      return startWorkers(config, log);
    }
    const { openPrerequisites } = await import('./process/storage.js');
    // Loads the service while PostgreSQL starts; doing so earlier would delay PostgreSQL. The import below reports failures.
    const onLaunch = () =>
      void loadService()
        .then(({ prepareValidation }) => prepareValidation())
        .catch(() => undefined);
    const prerequisites = await openPrerequisites(config, 'start', log, onLaunch);
    const { startService } = await loadService();
    return startService(config, log, { prerequisites });
  };
  const [service, { announce }] = await Promise.all([start(), import('./process/announce.js')]);
  await announce(service, config, log);
  return service;
});

/** `npm start`: runs the service, in this process or in several. */
import './lib/system/supported-node.js';
import './lib/system/heap-growth.js';

const [{ default: cluster }, { runProcess }] = await Promise.all([
  import('node:cluster'),
  import('./process/run-process.js'),
]);

/** By far the most of the program. */
const loadService = () => import('./service.js');

await runProcess(async (config, log) => {
  if (cluster.isWorker) {
    // Before everything else: the primary waits for an answer from each worker.
    const scrapeAll =
      config.metrics && (await import('./process/cluster-metrics.js')).scrapeThroughPrimary();
    const [{ joinPrimary }, { startService }] = await Promise.all([
      import('./process/cluster-worker.js'),
      loadService(),
    ]);
    return joinPrimary(await startService(config, log, { embedded: 'join', scrapeAll }));
  }
  const start = async () => {
    if (config.workers > 1) {
      const { startWorkers } = await import('./process/cluster-primary.js');
      return startWorkers(config, log);
    }
    const { openPrerequisites } = await import('./process/storage.js');
    // Loaded while PostgreSQL starts, and not before: it would keep PostgreSQL waiting. A failure is that of the start below.
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

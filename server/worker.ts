/** `npm run worker`: delivers events in a separate process. Any number of workers may run. */
import './lib/system/supported-node.js';
import './lib/system/heap-growth.js';

const [
  { runProcess },
  { openInfrastructure },
  { startDeliveries },
  telemetry,
  { noopTelemetry },
  { createTeardown },
  { announceLine, metricsAt },
  { serviceVersion },
] = await Promise.all([
  import('./process/run-process.js'),
  import('./process/infrastructure.js'),
  import('./webhooks/deliveries/worker.js'),
  import('./process/telemetry.js'),
  import('./telemetry/telemetry.js'),
  import('./lib/async/teardown.js'),
  import('./process/announce.js'),
  import('./contract/project-files.js'),
]);

await runProcess(async (config, log) => {
  const teardown = createTeardown();
  try {
    const { allowPrivateTargets: allowsPrivateTargets } = config;
    const instance = {
      role: 'worker',
      providers: [],
      allowsPrivateTargets,
      variables: [],
    } as const;
    const { waitMs } = config.database;
    const options = { embedded: 'join', instance, waitMs, log } as const;
    const infrastructure = await openInfrastructure(config, options);
    teardown.add(infrastructure.close);
    const { database } = infrastructure;
    const observability = await telemetry.startTelemetry(
      config,
      database,
      { isClustered: false },
      log,
    );
    teardown.add(observability.stop);
    const { metrics } = observability;
    const endpoint = metrics && telemetry.metricsEndpoint(config, metrics.format);
    const listener = await telemetry.listenForScrapes(config, endpoint);
    teardown.add(listener.close);
    const deliveries = await startDeliveries(
      config,
      infrastructure,
      observability.telemetry ?? noopTelemetry,
      log,
    );
    teardown.add(() => deliveries.stop(config.shutdownTimeoutMs));
    announceLine(log, 'Delivering events.', { version: serviceVersion });
    if (listener.url !== undefined) announceLine(log, metricsAt(listener.url));
  } catch (error) {
    await teardown.run();
    throw error;
  }
  return { stop: teardown.run };
});

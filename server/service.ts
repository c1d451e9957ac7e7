/** The composition root: assembles the service from its configuration, starts it, and stops it gracefully. */
import type { Logger } from 'pino';
import { createApp } from './app.js';
import { createAccessControl } from './assembly/access-control.js';
import { startCacheInvalidation } from './assembly/cache-invalidation.js';
import { startDeliveries } from './assembly/deliveries.js';
import { setUpOnce } from './assembly/first-start.js';
import { type InfrastructureOptions, openInfrastructure } from './assembly/infrastructure.js';
import { createInvocationService } from './assembly/invocations.js';
import { createLameDuck } from './assembly/lame-duck.js';
import { listen } from './assembly/listen.js';
import { chooseRateBuckets } from './assembly/rate-buckets.js';
import { openPrerequisites, type Prerequisites } from './assembly/prerequisites.js';
import { databaseReadiness } from './assembly/readiness.js';
import type { RunningService } from './assembly/running-service.js';
import { openSemanticSearch } from './assembly/semantic-search.js';
import { createTeardown, type Teardown } from './assembly/teardown.js';
import { listenForScrapes, metricsEndpoint, startTelemetry } from './assembly/telemetry.js';
import { startHousekeeping } from './background/housekeeping.js';
import type { Config } from './config/config.js';
import type { DeliveryWorker } from './delivery/worker.js';
import { webhookTargets } from './config/target-policies.js';
import { createFailedAuthenticationLimit } from './http/steps/failed-authentication.js';
import type { Scrape } from './http/metrics-endpoint.js';
import { createServer } from './http/transport/server.js';
import { prepareValidation } from './http/transport/validator.js';
import { watchTls } from './http/transport/tls.js';
import { createBytesInFlight } from './lib/bytes-in-flight.js';
import { createFairQueue } from './lib/fair-queue.js';
import { variablesThatAreSet } from './lib/secret-reference.js';
import { silentTelemetry } from './lib/telemetry.js';
import { createOperations } from './operations/index.js';
import { configuredProviders, createRegistry } from './runtime/registry.js';
import { createStreams } from './domain/invocations/streams.js';
import { createIdempotencyRecords } from './store/idempotency/records.js';
import { createStreamEvents } from './store/idempotency/stream-events.js';

export { prepareValidation };

/** The queues' own polls are rare, since housekeeping finds what is due in them with one statement for everything. */
const queuePollMs = 30_000;

export interface ServiceOptions {
  /** Whether it runs the embedded PostgreSQL, if there is one, or finds it running. */
  embedded?: InfrastructureOptions['embedded'];
  /** What was opened while this was loaded. */
  prerequisites?: Prerequisites;
  /** Reads the metrics of all processes, where this is one of several. */
  scrapeAll?: Scrape | undefined;
}

export async function startService(
  config: Config,
  log: Logger,
  options: ServiceOptions = {},
): Promise<RunningService> {
  const teardown = createTeardown();
  try {
    return await assemble(config, log, options, teardown);
  } catch (error) {
    await teardown.run().catch((cause: unknown) => {
      log.error({ err: cause }, 'shutdown failed');
    });
    throw error;
  }
}

async function assemble(
  config: Config,
  log: Logger,
  { embedded = 'start', prerequisites, scrapeAll }: ServiceOptions,
  teardown: Teardown,
): Promise<RunningService> {
  // Infrastructure
  const validateRequest = await prepareValidation();
  const { tls, storage } = prerequisites ?? (await openPrerequisites(config, embedded, log));
  const providers = configuredProviders(config.models);
  const { allowPrivateTargets: allowsPrivateTargets } = config;
  const variables = variablesThatAreSet();
  const instance = { role: 'service', providers, allowsPrivateTargets, variables } as const;
  const { waitMs } = config.database;
  const infrastructure = await openInfrastructure(config, {
    embedded,
    storage,
    instance,
    waitMs,
    log,
  });
  teardown.add(infrastructure.close);
  const { database, secrets } = infrastructure;
  const isOneOfMany = scrapeAll !== undefined;
  const observed = await startTelemetry(config, database, { isOneOfMany }, log);
  teardown.add(observed.stop);
  const { metrics, telemetry = silentTelemetry } = observed;

  // Parts
  const accessControl = createAccessControl(config, infrastructure, log);
  teardown.add(accessControl.close);
  // The other half of the pool is for what is not a request: recording, deliveries, background work.
  const databaseSlots = createFairQueue(Math.ceil(config.database.poolSize / 2));
  const bytesInFlight = createBytesInFlight(config.maxBytesInFlight);
  const records = createIdempotencyRecords(database, secrets);
  const streams = createStreams({
    records,
    events: createStreamEvents(database, secrets),
    graceMs: config.streamGraceMs,
  });
  const invocationService = createInvocationService(
    config,
    infrastructure,
    records,
    { databaseSlots, bytesInFlight },
    telemetry,
    log,
  );
  teardown.add(() => invocationService.stop(0));
  const semanticSearch = await openSemanticSearch(config, database, log);
  const listening = startCacheInvalidation(infrastructure, accessControl, invocationService, log);
  // A failure to listen is that of the start, and nothing is left to close.
  teardown.add(async () => (await listening.catch(() => undefined))?.close());

  // App
  const lameDuck = createLameDuck(databaseReadiness(database));
  const { identify, keyCache, agentPolicies } = accessControl;
  const { invocations, configurations } = invocationService;
  const scrapes = metrics && metricsEndpoint(config, scrapeAll ?? metrics.format);
  const app = createApp({
    operations: createOperations({
      database,
      secrets,
      keyCache,
      semanticSearch,
      invocations,
      streams,
      configurations,
      targets: webhookTargets(config),
      models: createRegistry(providers),
    }),
    validateRequest,
    identify,
    agentPolicies,
    failedAuthentications: createFailedAuthenticationLimit(),
    rateBuckets: chooseRateBuckets(config, database, log),
    idempotency: {
      database,
      records,
      streams,
      slots: databaseSlots,
      stopping: lameDuck.stopping,
    },
    bytesInFlight,
    databaseSlots,
    readiness: lameDuck.readiness,
    hasConsole: config.hasConsole,
    metrics: config.metrics?.token === undefined ? undefined : scrapes,
    telemetry: observed.telemetry,
    log,
    corsOrigins: config.corsOrigins,
  });
  const [firstKey] = await Promise.all([setUpOnce(database, secrets), listening]);

  // Listen
  const scrapeListener = await listenForScrapes(config, isOneOfMany ? undefined : scrapes);
  teardown.add(scrapeListener.close);
  const { server, secure, announceClose, drain } = createServer(app, tls);
  const url = await listen(server, config);

  // Drain. Requests, invocations and deliveries in flight stop at the same time and share one grace period.
  const drains = [drain, invocationService.stop];
  teardown.add(() => Promise.all(drains.map((stop) => stop(config.shutdownTimeoutMs))));
  let deliveries: DeliveryWorker | undefined;
  if (config.webhooks.deliverHere) {
    deliveries = await startDeliveries(config, infrastructure, telemetry, log, queuePollMs);
    drains.push(deliveries.stop);
  }
  // Last: its first tasks are work that a start need not wait for.
  const { retentionDays } = config;
  const onDue = {
    invocations: invocationService.wakeWorker,
    deliveries: () => deliveries?.wake(),
  };
  const housekeeping = { database, semanticSearch, retentionDays, onDue, telemetry };
  teardown.add(startHousekeeping(housekeeping, log).stop);
  if (config.tls && tls && secure) teardown.add(watchTls(secure, config.tls, tls, log).close);
  teardown.add(() => lameDuck.start(config.lameDuckMs, announceClose));
  return { url, metricsUrl: scrapeListener.url, firstKey, stop: teardown.run };
}

/** The composition root: assembles the service from its configuration, starts it, and stops it gracefully. */
import type { Logger } from 'pino';
import { createApp } from './app.js';
import { startHousekeeping } from './process/housekeeping.js';
import { startStepLoop } from './postgres/step-loop.js';
import type { Config } from './config/config.js';
import { Streams } from './invocations/streams/streams.js';
import { createKeyCache } from './keys/key-cache.js';
import { trackKeyUse } from './keys/key-use.js';
import { createSemanticSearch, type SemanticSearch } from './memory/semantic-search.js';
import { createCodeVerifier } from './access/one-time-code.js';
import { createAgentOwners } from './http/steps/owners.js';
import { createPolicyCache } from './access/policies.js';
import { fetchJson } from './access/tokens/fetch-json.js';
import { createTokens } from './access/tokens/tokens.js';
import type { ReadinessCheck } from './http/system-endpoints.js';
import type { Scrape } from './http/metrics-endpoint.js';
import type { AgentPolicies } from './http/steps/agent-policy.js';
import type { Identify } from './http/steps/authenticate.js';
import { createFailedAuthenticationLimit } from './http/steps/failed-authentication.js';
import { queueSuspects } from './http/steps/suspects.js';
import { withLocalFallback } from './http/steps/rate-limit.js';
import { createServer } from './http/transport/server.js';
import { watchTls } from './http/transport/tls.js';
import { prepareValidation } from './http/transport/validator.js';
import { BytesInFlight } from './lib/async/bytes-in-flight.js';
import { FairQueue } from './lib/async/fair-queue.js';
import { createTeardown, type Teardown } from './lib/async/teardown.js';
import { createMemoryBuckets } from './lib/async/token-bucket.js';
import { createNetworks } from './lib/net/networks.js';
import { noopTelemetry } from './telemetry/telemetry.js';
import { createOperations } from './operations.js';
import { startDeliveries } from './webhooks/deliveries/worker.js';
import { setUpInstallation } from './process/first-start.js';
import {
  type Infrastructure,
  type InfrastructureOptions,
  openInfrastructure,
} from './process/infrastructure.js';
import { cancelRequest } from './invocations/cancel.js';
import { createInvocationService } from './invocations/invocation-service.js';
import { createLameDuck } from './process/lame-duck.js';
import { listen } from './process/listen.js';
import type { RunningService } from './process/running-service.js';
import { openPrerequisites } from './process/storage.js';
import { listenForScrapes, metricsEndpoint, startTelemetry } from './process/telemetry.js';
import { createEmbeddingModel } from './models/embedding.js';
import { configuredProviders, createRegistry } from './models/registry.js';
import { definedVariables } from './lib/text/secret-reference.js';
import { createRateBuckets } from './accounts/rate-buckets.js';
import { StoredBytes } from './accounts/stored-bytes.js';
import { tickSchedules } from './schedules/ticks.js';
import { IdempotencyRecords } from './idempotency/records.js';
import { createStreamEvents } from './invocations/streams/stream-events.js';
import { type ChangeListeners, listenForChanges } from './postgres/changes.js';
import type { Database } from './postgres/database.js';

interface ServiceOptions {
  /** Whether to start the embedded PostgreSQL or join a running one. */
  embedded?: InfrastructureOptions['embedded'];
  /** Reads the metrics of all processes; set in a cluster worker. */
  scrapeCluster?: Scrape | undefined;
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
  { embedded = 'start', scrapeCluster }: ServiceOptions,
  teardown: Teardown,
): Promise<RunningService> {
  // Infrastructure
  const validateRequest = await prepareValidation();
  const { tls, storage } = await openPrerequisites(config, embedded, log);
  const providers = configuredProviders(config.models);
  const { allowPrivateTargets: allowsPrivateTargets } = config;
  const variables = definedVariables();
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
  const isClustered = scrapeCluster !== undefined;
  const observability = await startTelemetry(config, database, { isClustered }, log);
  teardown.add(observability.stop);
  const { metrics, telemetry = noopTelemetry } = observability;

  // Parts
  const accessControl = createAccessControl(config, infrastructure, log);
  teardown.add(accessControl.close);
  const storedBytes = new StoredBytes(database, {
    onError: (error) => {
      log.warn({ err: error }, 'counting stored bytes failed');
    },
  });
  teardown.add(() => storedBytes.close());
  // The other half of the pool is for recording, deliveries and background work.
  const databaseSlots = new FairQueue(Math.ceil(config.database.poolSize / 2));
  const bytesInFlight = new BytesInFlight(config.maxBytesInFlight);
  const records = new IdempotencyRecords({ database, secrets });
  const streams = new Streams({
    records,
    events: createStreamEvents(database, secrets, storedBytes.add),
    graceMs: config.streamGraceMs,
  });
  const semanticSearch = await openSemanticSearch(config, database, log);
  const invocationService = createInvocationService({
    config,
    database,
    secrets,
    semanticSearch,
    countStored: storedBytes.add,
    bytesInFlight,
    telemetry,
    log,
  });
  teardown.add(() => invocationService.stop(0));
  const caches = [
    accessControl.keyCache.cache,
    accessControl.agentPolicies.policies.cache,
    invocationService.configurations.cache,
  ];
  const invalidate = (id: string) => {
    for (const cache of caches) cache.invalidate(id);
  };
  const changes: ChangeListeners = {
    ...infrastructure.direct,
    onChange: invalidate,
    // The same connection receives the notifications that wake up waiting invocations.
    channels: invocationService.channels,
    onReset: () => {
      for (const cache of caches) cache.clear();
      invocationService.reset();
    },
    onError: (error) => {
      log.warn({ err: error }, 'listening for changes failed');
    },
  };
  const listening = infrastructure.untilReady(() => listenForChanges(changes));
  // If listening failed, the start fails too, and there is nothing to close.
  teardown.add(async () => (await listening.catch(() => undefined))?.close());

  // App
  const lameDuck = createLameDuck(databaseReadiness(database));
  const { identify, agentPolicies } = accessControl;
  const failedAuthentications = createFailedAuthenticationLimit();
  const scrapes = metrics && metricsEndpoint(config, scrapeCluster ?? metrics.format);
  const app = createApp({
    operations: createOperations({
      database,
      secrets,
      invalidate,
      semanticSearch,
      invocations: invocationService.invocations,
      streams,
      countStored: storedBytes.add,
      targets: { allowPrivate: config.allowPrivateTargets },
      models: createRegistry(providers),
    }),
    validateRequest,
    identify: queueSuspects(identify, failedAuthentications),
    agentPolicies,
    failedAuthentications,
    rateBuckets: config.sharesRateLimits
      ? withLocalFallback(createRateBuckets(database), log)
      : createMemoryBuckets(),
    idempotency: {
      database,
      records,
      streams,
      databaseSlots,
      stopping: lameDuck.stopping,
      cancel: (found) => cancelRequest({ database, secrets }, found),
    },
    bytesInFlight,
    storedBytes,
    databaseSlots,
    readiness: lameDuck.readiness,
    hasConsole: config.hasConsole,
    metrics: config.metrics?.token === undefined ? undefined : scrapes,
    telemetry: observability.telemetry,
    log,
    corsOrigins: config.corsOrigins,
    maxBodyBytes: config.maxBodyBytes,
  });
  const [setup] = await Promise.all([setUpInstallation(database, secrets), listening]);

  // Listen
  const scrapeListener = await listenForScrapes(config, isClustered ? undefined : scrapes);
  teardown.add(scrapeListener.close);
  const { server, secure, announceClose, drain } = createServer(app, tls);
  const url = await listen(server, config);

  // Drain. Requests, invocations and deliveries in flight stop at the same time and share one grace period.
  const drains = [drain, invocationService.stop];
  teardown.add(() => Promise.all(drains.map((stop) => stop(config.shutdownTimeoutMs))));
  if (config.webhooks.deliverHere) {
    const deliveries = await startDeliveries(config, infrastructure, telemetry, log);
    drains.push(deliveries.stop);
  }
  // Started last, because a start need not wait for background work.
  const { retentionDays } = config;
  const observer = { telemetry, log };
  teardown.add(startHousekeeping({ database, secrets, retentionDays, ...observer }).stop);
  const tick = tickSchedules({ database, storedBytes, log });
  teardown.add(startStepLoop([tick], observer).stop);
  if (semanticSearch) {
    const embed = { name: 'embed memory', everyMs: 1_000, run: semanticSearch.embedNext };
    teardown.add(startStepLoop([embed], observer).stop);
  }
  if (config.tls && tls && secure) teardown.add(watchTls(secure, config.tls, tls, log).close);
  teardown.add(() => lameDuck.start(config.lameDuckMs, announceClose));
  return { url, metricsUrl: scrapeListener.url, ...setup, stop: teardown.run };
}

/** Authentication by API keys and agents' tokens, and the agents' security policies. */
function createAccessControl(config: Config, { database, secrets }: Infrastructure, log: Logger) {
  const keyUse = trackKeyUse(database, {
    onError: (error) => {
      log.warn({ err: error }, 'recording the last use of keys failed');
    },
  });
  const keyCache = createKeyCache(database, secrets, keyUse.record);
  const policies = createPolicyCache(database, (agentId, reasons) => {
    log.error({ agent_id: agentId, reasons }, 'security settings cannot be evaluated');
  });
  const targets = { allowPrivate: config.allowPrivateTargets };
  const tokens = createTokens(policies, (url) => fetchJson(url, targets));
  const identify: Identify = async (bearer, agent) =>
    (await keyCache.identify(bearer)) ??
    (agent === undefined ? undefined : tokens.identify(bearer, agent));
  const agentPolicies: AgentPolicies = {
    policies,
    agents: createAgentOwners(database),
    verifyCode: createCodeVerifier(database, secrets),
    source: { proxies: createNetworks(config.trustProxy), header: config.clientCertHeader },
  };
  return { identify, keyCache, agentPolicies, close: keyUse.close };
}

/** Undefined unless an embedding model is configured. */
async function openSemanticSearch(
  { models }: Config,
  database: Database,
  log: Logger,
): Promise<SemanticSearch | undefined> {
  if (models.embeddingModel === undefined) return undefined;
  const model = createEmbeddingModel(models.embeddingModel, models);
  return createSemanticSearch(database, model, (error) => {
    log.warn({ err: error }, 'the embedding model failed; fell back to full-text search');
  });
}

/**
 * The service is ready while its database answers, even read-only: otherwise a load balancer would remove every instance, and reads
 * would fail too.
 */
function databaseReadiness(database: Database): ReadinessCheck {
  return async () => {
    try {
      const { isReadOnly } = await database.check();
      return isReadOnly ? { database: 'read-only' } : {};
    } catch {
      return { problem: 'The database does not answer.' };
    }
  };
}

/** Puts the service together, from its configuration to the listening server, and takes it apart again. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createApp } from './app.js';
import { type Config, configuredProviders } from './config/config.js';
import { startDeliveries, webhookTargets } from './assembly/deliveries.js';
import { createKeyCache } from './domain/keys/key-cache.js';
import { trackKeyUse } from './domain/keys/key-use.js';
import { type FirstKey, setUpOnce } from './assembly/first-start.js';
import { openInfrastructure } from './assembly/infrastructure.js';
import { createAgentPolicies } from './assembly/agent-policies.js';
import { startHousekeeping } from './background/housekeeping.js';
import { createInvocationService } from './assembly/invocations.js';
import { createFailedAuthenticationLimit } from './http/steps/failed-authentication.js';
import { withLocalFallback } from './http/steps/rate-limit.js';
import { createServer } from './http/transport/server.js';
import { readTls, watchTls } from './http/transport/tls.js';
import { createTeardown, type Teardown } from './assembly/teardown.js';
import { createMemoryBuckets } from './lib/token-bucket.js';
import { openSemanticSearch } from './assembly/semantic-search.js';
import { createOperations } from './operations/index.js';
import { createRegistry } from './runtime/registry.js';
import { createIdempotencyRecords } from './store/idempotency-records.js';
import { listenForChanges } from './store/changes.js';
import { createRateBuckets } from './store/rate-buckets.js';

export interface RunningService {
  url: string;
  /** What the first start made; undefined on later ones. */
  first: FirstKey | undefined;
  /** Finishes what is in flight, within the configured time, and lets go of everything. */
  stop: () => Promise<void>;
}

export async function startService(config: Config, log: Logger): Promise<RunningService> {
  const teardown = createTeardown();
  try {
    return await assemble(config, log, teardown);
  } catch (error) {
    await teardown.run().catch((cause: unknown) => {
      log.error({ err: cause }, 'did not stop cleanly');
    });
    throw error;
  }
}

async function assemble(config: Config, log: Logger, teardown: Teardown): Promise<RunningService> {
  const tls = config.tls && (await readTls(config.tls));
  const infrastructure = await openInfrastructure(config, {
    as: 'owner',
    log: (message) => {
      log.warn(message);
    },
  });
  teardown.add(infrastructure.close);
  const { database, secrets, directUrl } = infrastructure;
  const logFailure = (error: unknown) => {
    log.warn({ err: error }, 'background work failed');
  };
  const keyUse = trackKeyUse(database, { onError: logFailure });
  teardown.add(keyUse.close);
  const keyCache = createKeyCache(database, secrets, keyUse.note);
  const records = createIdempotencyRecords(database, secrets);
  const invocationService = createInvocationService(config, infrastructure, records, log);
  teardown.add(() => invocationService.stop(0));
  const { agentPolicies, identify } = createAgentPolicies(config, infrastructure, keyCache, log);
  const changes = await listenForChanges({
    url: directUrl,
    onKey: keyCache.forgetKey,
    onAccount: (accountId) => {
      keyCache.forgetAccount(accountId);
      agentPolicies.policies.forgetAccount(accountId);
    },
    onAgent: (agentId) => {
      invocationService.configurations.forget(agentId);
      agentPolicies.policies.forgetAgent(agentId);
    },
    channels: invocationService.channels,
    onReset: () => {
      keyCache.forgetAll();
      invocationService.reset();
      agentPolicies.policies.forgetAll();
    },
    onError: logFailure,
  });
  teardown.add(() => changes.close());
  const semanticSearch = await openSemanticSearch(config, database, log);
  const app = await createApp({
    operations: createOperations({
      database,
      secrets,
      keyCache,
      semanticSearch,
      invocations: invocationService.invocations,
      configurations: invocationService.configurations,
      targets: webhookTargets(config),
      models: createRegistry(configuredProviders(config.models)),
    }),
    identify,
    agentPolicies,
    failedAuthentications: createFailedAuthenticationLimit(),
    rateBuckets:
      config.rateLimitStore === 'memory'
        ? createMemoryBuckets()
        : withLocalFallback(createRateBuckets(database), log),
    idempotency: { database, records },
    readiness: async () => {
      try {
        await database.ping();
        return undefined;
      } catch {
        return 'The database does not answer.';
      }
    },
    log,
    corsOrigins: config.corsOrigins,
  });
  const first = await setUpOnce(database, secrets);
  const { retentionDays } = config;
  teardown.add(startHousekeeping({ database, semanticSearch, retentionDays }, log).stop);
  const { server, secure, drain } = createServer(app, tls);
  await listenOn(server, config);
  // What has work in flight is told to end it at the same time, so that one limit holds for all of it.
  const busy = [drain, invocationService.stop];
  teardown.add(() => Promise.all(busy.map((finish) => finish(config.shutdownTimeoutMs))));
  if (config.webhooks.deliverHere) {
    busy.push((await startDeliveries(config, infrastructure, log)).stop);
  }
  if (config.tls && tls && secure) teardown.add(watchTls(secure, config.tls, tls, log).close);
  return { url: addressOf(server, config), first, stop: teardown.run };
}

function listenOn(server: Server, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(
              `Port ${port} is in use on ${host}. Set PORT to another one, or stop what listens there.`,
            )
          : error,
      );
    });
    server.listen(port, host, resolve);
  });
}

function addressOf(server: Server, config: Config): string {
  const { host } = config;
  const { port } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `${config.tls ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

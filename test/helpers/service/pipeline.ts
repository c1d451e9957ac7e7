/** The real request pipeline over real HTTP, with one fake operation in place of all operations. */
import { BytesInFlight } from '../../../server/lib/async/bytes-in-flight.js';
import { FairQueue } from '../../../server/lib/async/fair-queue.js';
import { once } from 'node:events';
import type { OperationId } from '../../../generated/operations.js';
import { createApp } from '../../../server/app.js';
import type { Caller } from '../../../server/accounts/caller.js';
import { Streams } from '../../../server/invocations/streams/streams.js';
import { createAgentOwners } from '../../../server/http/steps/owners.js';
import { createCodeVerifier } from '../../../server/access/one-time-code.js';
import { compilePolicy } from '../../../server/access/compile.js';
import { readSources } from '../../../server/access/sources.js';
import { createPolicyCache, type PolicyCache } from '../../../server/access/policies.js';
import { createFailedAuthenticationLimit } from '../../../server/http/steps/failed-authentication.js';
import { createServer, type HttpServer } from '../../../server/http/transport/server.js';
import { routes } from '../../../server/http/routes.js';
import { prepareValidation } from '../../../server/http/transport/validator.js';
import { createNetworks } from '../../../server/lib/net/networks.js';
import { everyPermission } from '../../../server/contract/permissions.js';
import { tiers } from '../../../server/accounts/tiers.js';
import { createMemoryBuckets, type RateBuckets } from '../../../server/lib/async/token-bucket.js';
import { newId } from '../../../server/lib/data/typeid.js';
import { createLog } from '../../../server/config/log.js';
import type { OperationContext } from '../../../server/accounts/operation-context.js';
import type { Database } from '../../../server/postgres/database.js';
import { StoredBytes } from '../../../server/accounts/stored-bytes.js';
import { IdempotencyRecords } from '../../../server/idempotency/records.js';
import { createStreamEvents } from '../../../server/invocations/streams/stream-events.js';
import { type Api, apiClient } from './api.js';
import { useFixture } from './fixture.js';
import { testSecrets } from './service.js';

/** Never returns: it throws, immediately or when the test lets it. */
export type FakeOperation = (input: unknown, context: OperationContext) => Promise<never>;

export interface Pipeline {
  url: string;
  log: string[];
  /** Calls as a caller with every permission. */
  api: Api;
  server: HttpServer['server'];
  drain: HttpServer['drain'];
  stop: () => Promise<void>;
}

/** The caller of every request. */
export const caller: Caller = {
  id: newId('key'),
  keyId: null,
  userId: null,
  accountId: newId('acct'),
  limits: tiers.enterprise,
  permissions: new Set(everyPermission),
  expiresAt: null,
  agentId: null,
};

export interface PipelineOptions {
  rateBuckets?: RateBuckets;
}

/** A pipeline for the tests of the file, on a database that is open when it starts. */
export function usePipeline(
  holder: { database: Database },
  operation: FakeOperation,
  options?: PipelineOptions,
): Pipeline {
  return useFixture(
    () => startPipeline(holder.database, operation, options),
    ({ stop }) => stop(),
  );
}

export async function startPipeline(
  database: Database,
  operation: FakeOperation,
  { rateBuckets = createMemoryBuckets() }: PipelineOptions = {},
): Promise<Pipeline> {
  const log: string[] = [];
  const records = new IdempotencyRecords({ database, secrets: testSecrets });
  const app = createApp({
    metrics: undefined,
    telemetry: undefined,
    databaseSlots: new FairQueue(10),
    bytesInFlight: new BytesInFlight(64 * 1024 * 1024),
    storedBytes: new StoredBytes(database, { onError: () => undefined }),
    operations: forEveryOperation(operation),
    validateRequest: await prepareValidation(),
    identify: () => Promise.resolve(caller),
    failedAuthentications: createFailedAuthenticationLimit(),
    rateBuckets,
    agentPolicies: {
      policies: { ...createPolicyCache(database, () => undefined), find: findAnyAgent },
      agents: createAgentOwners(database),
      verifyCode: createCodeVerifier(database, testSecrets),
      source: { proxies: createNetworks([]), header: undefined },
    },
    idempotency: {
      database,
      records,
      streams: new Streams({
        records,
        events: createStreamEvents(database, testSecrets),
        graceMs: 30_000,
      }),
      databaseSlots: new FairQueue(10),
      cancel: () => Promise.resolve(undefined),
      stopping: new AbortController().signal,
    },
    readiness: () => Promise.resolve({}),
    hasConsole: false,
    log: createLog('debug', { write: (line) => void log.push(line) }),
    corsOrigins: [],
    maxBodyBytes: 1024 * 1024,
  });
  const { server, drain } = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  const url = `http://127.0.0.1:${address.port}`;
  return { url, log, api: apiClient(url, 'any-key'), server, drain, stop: () => drain(0) };
}

/** Every agent exists for the fake operation. */
const findAnyAgent: PolicyCache['find'] = async (accountId) => {
  const compiled = await compilePolicy({}, await readSources({}));
  const policy = 'policy' in compiled ? compiled.policy : undefined;
  return { agentId: newId('agent'), accountId, limits: tiers.enterprise, policy };
};

function forEveryOperation(operation: FakeOperation): Record<OperationId, FakeOperation> {
  // The route table has every operation, which the type of `fromEntries` cannot express.
  return Object.fromEntries(routes.map(({ operationId }) => [operationId, operation])) as Record<
    OperationId,
    FakeOperation
  >;
}

/** The request pipeline, as a list of steps. Everything about an operation is read from the contract. */
import express, { type Express } from 'express';
import type { Logger } from 'pino';
import { logAccess } from './http/steps/access-log.js';
import type { FailedAuthenticationLimit } from './http/steps/failed-authentication.js';
import { isAgentRoute } from './http/steps/agent-path.js';
import { authenticate, type Identify } from './http/steps/authenticate.js';
import { allowOrigins } from './http/steps/cors.js';
import { handleErrors } from './http/steps/errors.js';
import { honourIdempotencyKey, type IdempotencyParts } from './http/steps/idempotency.js';
import { systemEndpoints, type SystemEndpoints } from './http/system-endpoints.js';
import { nameOperation, observeRequests } from './http/steps/observe.js';
import { runOperation } from './http/steps/operation.js';
import { requirePermission } from './http/steps/permission.js';
import {
  enforcePolicy,
  type AgentPolicies,
  requiresAgentFirst,
  consumeOneTimeCode,
  requireAgent,
} from './http/steps/agent-policy.js';
import { hideAgents, listsAccount } from './http/steps/hidden-agents.js';
import { enforceNamedPolicies, mayNameAgent } from './http/steps/named-agent-policy.js';
import { describeRateLimit, limitRate } from './http/steps/rate-limit.js';
import { ignoreBody, readBody } from './http/transport/read-body.js';
import { acquireDatabaseSlot } from './http/steps/database-slot.js';
import { requireHost } from './http/steps/host.js';
import { assignRequestId } from './http/steps/request-id.js';
import { handleUnknownPath, mountOperations } from './http/routes.js';
import type { ValidateRequest } from './http/transport/validator.js';
import type { BytesInFlight } from './lib/async/bytes-in-flight.js';
import type { FairQueue } from './lib/async/fair-queue.js';
import type { Telemetry } from './telemetry/telemetry.js';
import type { RateBuckets } from './lib/async/token-bucket.js';
import type { OperationContext } from './accounts/operation-context.js';
import type { Operations } from './contract/operations.js';
import { limitStorage } from './http/steps/limit-storage.js';
import type { StoredBytes } from './accounts/stored-bytes.js';

interface AppParts extends SystemEndpoints {
  operations: Operations<OperationContext>;
  validateRequest: ValidateRequest;
  identify: Identify;
  failedAuthentications: FailedAuthenticationLimit;
  rateBuckets: RateBuckets;
  agentPolicies: AgentPolicies;
  idempotency: IdempotencyParts;
  bytesInFlight: BytesInFlight;
  storedBytes: StoredBytes;
  /** Slots for requests that use the database. */
  databaseSlots: FairQueue;
  /** Undefined if metrics and traces are off. */
  telemetry: Telemetry | undefined;
  log: Logger;
  corsOrigins: string[];
  maxBodyBytes: number;
}

export function createApp(parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  const { proxies } = parts.agentPolicies.source;
  app.set('trust proxy', (address: string) => proxies.includes(address));
  const readJson = readBody(parts.bytesInFlight, parts.maxBodyBytes);

  app.use(assignRequestId);
  if (parts.telemetry) app.use(observeRequests(parts.telemetry));
  app.use(logAccess(parts.log));
  app.use(requireHost);
  app.use(allowOrigins(parts.corsOrigins));
  const operations = mountOperations((route) => [
    ...(parts.telemetry ? [nameOperation(route)] : []),
    authenticate(parts.identify, parts.failedAuthentications, proxies),
    requirePermission(route),
    ...(isAgentRoute(route) ? [enforcePolicy(route, parts.agentPolicies)] : []),
    limitRate(parts.rateBuckets),
    describeRateLimit(parts.rateBuckets),
    route.hasBody ? readJson : ignoreBody,
    parts.validateRequest(route),
    acquireDatabaseSlot(parts.databaseSlots),
    ...(mayNameAgent(route) ? [enforceNamedPolicies(route, parts.agentPolicies)] : []),
    ...(listsAccount(route) ? [hideAgents(route, parts.agentPolicies)] : []),
    honourIdempotencyKey(route, parts.idempotency, parts.bytesInFlight),
    // Requests that waited for an idempotency key have released their slot.
    ...(route.idempotent ? [acquireDatabaseSlot(parts.databaseSlots)] : []),
    ...(route.mfa === null ? [] : [consumeOneTimeCode(route.mfa, parts.agentPolicies)]),
    ...(requiresAgentFirst(route) ? [requireAgent] : []),
    runOperation(limitStorage(route, parts), parts.bytesInFlight, parts.log),
  ]);
  app.use(operations);
  app.use(systemEndpoints(parts));
  app.use(handleUnknownPath);
  app.use(handleErrors(parts.log));
  return app;
}

/**
 * The mock: runs the steps of the service's request pipeline, with the same checks and errors, and responds with the
 * contract's examples.
 */

import { once } from 'node:events';
import express, { type RequestHandler } from 'express';
import type { Route } from '../../generated/operations.js';
import { createLog } from '../../server/config/log.js';
import type { Caller } from '../../server/accounts/caller.js';
import { systemEndpoints } from '../../server/http/system-endpoints.js';
import { handleUnknownPath, mountOperations } from '../../server/http/routes.js';
import { authenticate } from '../../server/http/steps/authenticate.js';
import { allowOrigins } from '../../server/http/steps/cors.js';
import { handleErrors } from '../../server/http/steps/errors.js';
import { createFailedAuthenticationLimit } from '../../server/http/steps/failed-authentication.js';
import { requireHost } from '../../server/http/steps/host.js';
import { requirePermission } from '../../server/http/steps/permission.js';
import { describeRateLimit, limitRate } from '../../server/http/steps/rate-limit.js';
import { assignRequestId } from '../../server/http/steps/request-id.js';
import { ignoreBody, readBody } from '../../server/http/transport/read-body.js';
import type { Step, StepRequest } from '../../server/http/transport/request.js';
import { createServer } from '../../server/http/transport/server.js';
import { prepareValidation } from '../../server/http/transport/validator.js';
import { BytesInFlight } from '../../server/lib/async/bytes-in-flight.js';
import { everyPermission } from '../../server/contract/permissions.js';
import { createNetworks } from '../../server/lib/net/networks.js';
import { parsePreferences } from '../../server/lib/net/preferences.js';
import { tiers } from '../../server/accounts/tiers.js';
import { createMemoryBuckets, type RateBuckets } from '../../server/lib/async/token-bucket.js';
import { newId } from '../../server/lib/data/typeid.js';
import { type Contract, operationsOf } from '../lib/contract.js';
import { type ExampleRequest, exampleRequest } from '../lib/example-request.js';
import { answerWith, type Behaviour } from './answer.js';
import { readExamples } from './examples.js';

export interface RunningMock {
  url: string;
  stop: () => Promise<void>;
}

/** The caller of every request: the mock accepts any key. */
const anyCaller: Caller = {
  id: newId('key'),
  keyId: newId('key'),
  userId: null,
  accountId: newId('acct'),
  limits: tiers.enterprise,
  permissions: new Set(everyPermission),
  expiresAt: null,
  agentId: null,
};

export async function startMock(
  contract: Contract,
  { host, port, ...behaviour }: Behaviour & { host: string; port: number },
): Promise<RunningMock> {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  const readJson = readBody(new BytesInFlight(Infinity), 1024 ** 2);
  const rateBuckets = neverEmpty(createMemoryBuckets());
  const failures = createFailedAuthenticationLimit();
  const noProxies = createNetworks([]);
  const chooseExample = await readExamples(contract);
  const validateRequest = await prepareValidation();

  app.use(assignRequestId);
  app.use(printRequest);
  app.use(requireHost);
  app.use(allowOrigins(['*']));
  const readiness = () => Promise.resolve({});
  app.use(systemEndpoints({ readiness, metrics: undefined, hasConsole: true }));
  app.use(changeMethod);
  const operations = mountOperations((route) => {
    const example = exampleOf(contract, route);
    return [
      authenticate(() => Promise.resolve(anyCaller), failures, noProxies),
      removePermissions,
      requirePermission(route),
      limitRate(rateBuckets),
      describeRateLimit(rateBuckets),
      route.hasBody ? readJson : ignoreBody,
      invalidateRequest(example),
      validateRequest(route),
      answerWith(chooseExample, route, example, behaviour),
    ];
  });
  app.use(operations);
  app.use(handleUnknownPath);
  app.use(handleErrors(createLog('warn')));

  const { server, drain } = createServer(app);
  server.listen(port, host);
  await once(server, 'listening');
  return { url: `http://${host}:${port}`, stop: () => drain(1_000) };
}

/** The headers count down, but only an example is a 429. */
function neverEmpty(buckets: RateBuckets): RateBuckets {
  return { take: async (...request) => ({ ...(await buckets.take(...request)), allowed: true }) };
}

function exampleOf(contract: Contract, { operationId }: Route): ExampleRequest {
  const found = operationsOf(contract).find(
    ({ operation }) => operation.operationId === operationId,
  );
  if (!found) throw new Error(`The contract has no ${operationId}.`);
  return exampleRequest(contract, found);
}

const printRequest: RequestHandler = ({ method, originalUrl }, res, next) => {
  res.once('close', () => {
    console.log(`${res.statusCode} ${method} ${originalUrl}`);
  });
  next();
};

/**
 * `Prefer: code=` with a client error makes the request invalid in that way, so that the error matches the operation. A request
 * that names an example gets the example.
 */
function onCode(code: string, breakRequest: (req: StepRequest) => void): Step {
  return (req, _res, next) => {
    const preferences = parsePreferences(req.headers['prefer']?.toString());
    if (preferences.get('code') === code && !preferences.has('example')) breakRequest(req);
    next();
  };
}

const changeMethod = onCode('405', (req) => {
  req.method = 'PUT';
});

const removePermissions = onCode('403', (req) => {
  if (req.caller) req.caller = { ...req.caller, permissions: new Set() };
});

/** Makes the body invalid or, without one, a parameter. */
function invalidateRequest({ body, query, path }: ExampleRequest): Step {
  return onCode('400', (req) => {
    const [parameter] = query;
    if (body !== undefined) req.body = {};
    else if (parameter) req.url = `${req.path}?${parameter.name}=`;
    else req.params = Object.fromEntries(path.map(({ name }) => [name, '!']));
  });
}

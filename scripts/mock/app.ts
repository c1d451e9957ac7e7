/**
 * The mock as an application: the steps of the service's pipeline, with the same checks in the same order and the same
 * errors, in front of the contract's examples.
 */

import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Route } from '../../generated/operations.js';
import type { Caller } from '../../server/domain/caller.js';
import { machineEndpoints } from '../../server/http/machine-endpoints.js';
import { handleUnknownPath, mountOperations } from '../../server/http/routes.js';
import { authenticate } from '../../server/http/steps/authenticate.js';
import { allowOrigins } from '../../server/http/steps/cors.js';
import { handleErrors } from '../../server/http/steps/errors.js';
import { createFailedAuthenticationLimit } from '../../server/http/steps/failed-authentication.js';
import { requireHost } from '../../server/http/steps/host.js';
import { requirePermission } from '../../server/http/steps/permission.js';
import { countRequest } from '../../server/http/steps/rate-limit.js';
import { assignRequestId } from '../../server/http/steps/request-id.js';
import { ignoreBody, readBody } from '../../server/http/transport/read-body.js';
import { prepareValidation } from '../../server/http/transport/validator.js';
import { createPacer } from '../../server/lib/pacer.js';
import { everyPermission } from '../../server/lib/permissions.js';
import { tiers } from '../../server/lib/tiers.js';
import { createMemoryBuckets } from '../../server/lib/token-bucket.js';
import { createTurns } from '../../server/lib/turns.js';
import { newId } from '../../server/lib/typeid.js';
import { type Contract, operationsOf } from '../lib/contract.js';
import { type ExampleRequest, exampleRequest } from '../lib/example-request.js';
import { answerWith } from './answer.js';
import { readExamples } from './examples.js';
import { breakRequest, losePermissions, makeEarlyMistake } from './mistakes.js';

export interface MockOptions {
  /** Vary every answer, as `Prefer: dynamic=true` does for one. */
  isDynamic: boolean;
  /** For what goes wrong in the mock itself. */
  log: Logger;
  /** Told of each request. */
  onAnswer: (line: string) => void;
}

/** Whatever the key: the mock knows none. */
const anybody: Caller = {
  id: newId('key'),
  keyId: newId('key'),
  userId: null,
  accountId: newId('acct'),
  limits: tiers.enterprise,
  permissions: new Set(everyPermission),
  expiresAt: null,
  agentId: null,
};

export async function createMock(contract: Contract, options: MockOptions): Promise<Express> {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  const readJson = readBody(createTurns());
  const rateBuckets = createMemoryBuckets();
  const failures = createFailedAuthenticationLimit();
  const chooseExample = await readExamples(contract);
  const validateRequest = await prepareValidation();

  app.use(assignRequestId);
  app.use(announce(options.onAnswer));
  app.use(requireHost);
  app.use(allowOrigins(['*']));
  const readiness = () => Promise.resolve(undefined);
  app.use(machineEndpoints({ readiness, metrics: undefined, hasConsole: true }));
  app.use(makeEarlyMistake);
  const operations = mountOperations((route) => {
    const example = exampleOf(contract, route);
    return [
      authenticate(() => Promise.resolve(anybody), failures),
      countRequest(rateBuckets),
      losePermissions,
      requirePermission(route),
      route.hasBody ? readJson : ignoreBody,
      breakRequest(example),
      validateRequest(route),
      answerWith({ route, example, chooseExample, isDynamic: options.isDynamic }),
    ];
  });
  app.use(operations);
  app.use(handleUnknownPath);
  app.use(handleErrors(options.log, createPacer(Infinity)));
  return app;
}

function exampleOf(contract: Contract, { operationId }: Route): ExampleRequest {
  const found = operationsOf(contract).find(
    ({ operation }) => operation.operationId === operationId,
  );
  if (!found) throw new Error(`The contract has no ${operationId}.`);
  return exampleRequest(contract, found);
}

function announce(onAnswer: MockOptions['onAnswer']): RequestHandler {
  return (req, res, next) => {
    const { method, originalUrl } = req;
    res.once('close', () => {
      onAnswer(`${res.statusCode} ${method} ${originalUrl}`);
    });
    next();
  };
}

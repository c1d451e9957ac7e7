/** Chooses a documented response of an operation, and one of its examples, with Prism. */

import { createLogger } from '@stoplight/prism-core';
import { createInstance, getHttpOperationsFromSpec } from '@stoplight/prism-http';
import type { Route } from '../../generated/operations.js';
import { ServiceError } from '../../server/domain/errors.js';
import type { Contract } from '../lib/contract.js';

export interface Choice {
  /** Undefined: that of a success. */
  status: number | undefined;
  /** The name of the example; undefined: the first one. */
  example: string | undefined;
}

export interface Example {
  status: number;
  body: unknown;
}

export type ChooseExample = (route: Route, choice: Choice) => Promise<Example>;

export async function readExamples(contract: Contract): Promise<ChooseExample> {
  const config = {
    isProxy: false as const,
    upstreamProxy: undefined,
    validateRequest: false,
    validateResponse: false,
    checkSecurity: false,
    errors: false,
  };
  const operations = await getHttpOperationsFromSpec(structuredClone(contract));
  const logger = createLogger('mock', { enabled: false });
  const prism = createInstance({ ...config, mock: { dynamic: false } }, { logger });
  return async (route, { status, example }) => {
    if (status !== undefined && !route.statuses.includes(status)) {
      throw notDocumented(`no ${status}`, `The statuses are ${route.statuses.join(', ')}.`);
    }
    const mock = {
      dynamic: false,
      mediaTypes: ['application/json'],
      ...(status === undefined ? {} : { code: status }),
      ...(example === undefined ? {} : { exampleKey: example }),
    };
    const url = { path: route.path.replaceAll(/\{\w+\}/g, 'x') };
    const request = { method: route.method, url };
    const own = operations.filter(
      ({ method, path }) => method === route.method && path === route.path,
    );
    // Without its callbacks: Prism would send events to the address of a webhook that it is asked to create.
    const silent = own.map((operation) => ({ ...operation, callbacks: [] }));
    const outcome = await prism.request(request, silent, { ...config, mock })();
    if (outcome._tag === 'Left') {
      throw notDocumented(`no example '${example ?? ''}'`, 'The contract lists the examples.');
    }
    const { statusCode, body } = outcome.right.output;
    return { status: statusCode, body };
  };
}

function notDocumented(what: string, hint: string): ServiceError {
  return new ServiceError(
    'invalid_request',
    `The mock cannot do what Prefer asks: the operation documents ${what}. ${hint}`,
  );
}

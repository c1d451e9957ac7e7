/** Uses Prism to choose a documented response of an operation and one of its examples. */

import { createLogger } from '@stoplight/prism-core';
import { createInstance, getHttpOperationsFromSpec } from '@stoplight/prism-http';
import type { Route } from '../../generated/operations.js';
import { ServiceError } from '../../server/contract/errors.js';
import type { Contract } from '../lib/contract.js';

/** The values in `Prefer`. By default the first example, with its status or that of a success. */
interface Choice {
  code: string | undefined;
  example: string | undefined;
}

export type ChooseExample = Awaited<ReturnType<typeof readExamples>>;

const mediaType = 'application/json';

export async function readExamples(contract: Contract) {
  const config = {
    isProxy: false as const,
    upstreamProxy: undefined,
    validateRequest: false,
    validateResponse: false,
    checkSecurity: false,
    errors: false,
    mock: { dynamic: false, mediaTypes: [mediaType] },
  };
  const operations = await getHttpOperationsFromSpec(structuredClone(contract));
  const prism = createInstance(config, { logger: createLogger('mock', { enabled: false }) });

  return async (route: Route, { code, example }: Choice) => {
    const own = operations.filter(
      ({ method, path }) => method === route.method && path === route.path,
    );
    const examples = own
      .flatMap(({ responses }) => responses)
      .filter((response) => code === undefined || response.code === code)
      .flatMap(({ code, contents = [] }) => contents.map((content) => ({ code, ...content })))
      .filter((content) => content.mediaType === mediaType)
      .flatMap(({ code, examples = [] }) => examples.map(({ key }) => ({ code, key })));
    if (examples.length === 0) {
      throw notDocumented(`status '${code}'`, `statuses are ${route.statuses.join(', ')}`);
    }
    const named = examples.find(({ key }) => key === example);
    if (example !== undefined && !named) {
      const names = examples.map(({ key, code }) => `${key} (${code})`).join(', ');
      throw notDocumented(`example '${example}'`, `examples are ${names}`);
    }
    const status = named?.code ?? code;
    const mock = {
      ...config.mock,
      ...(status === undefined ? {} : { code: Number(status) }),
      ...(named ? { exampleKey: named.key } : {}),
    };
    const path = route.path.replaceAll(/\{\w+\}/g, 'x');
    // Without callbacks: Prism would send events to the URL of a webhook that a request creates.
    const silent = own.map((operation) => ({ ...operation, callbacks: [] }));
    const request = { method: route.method, url: { path } };
    const outcome = await prism.request(request, silent, { ...config, mock })();
    if (outcome._tag === 'Left') throw outcome.left;
    return outcome.right.output;
  };
}

function notDocumented(what: string, hint: string): ServiceError {
  return new ServiceError(
    'invalid_request',
    `The mock cannot do what Prefer asks: there is no ${what} here. The ${hint}.`,
  );
}

/** Prism between a client and the service: it holds requests and answers against the contract, and reports each fault. */
import { createLogger } from '@stoplight/prism-core';
import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';
import { contractJson } from '../../server/lib/project-files.js';

export interface ValidationProxy {
  url: string;
  close: () => Promise<void>;
}

/** What is wrong is listed in the header `sl-violations` of the answer. A request that is meant to be wrong goes unchecked. */
export async function startValidationProxy(
  upstream: string,
  { validateRequest = true } = {},
): Promise<ValidationProxy> {
  const operations = await getHttpOperationsFromSpec(contractJson);
  const server = createServer(operations, {
    cors: false,
    components: { logger: createLogger('proxy', { enabled: false }) },
    config: {
      isProxy: true,
      upstream: new URL(upstream),
      upstreamProxy: undefined,
      validateRequest,
      validateResponse: true,
      checkSecurity: true,
      errors: false,
      mock: { dynamic: false },
    },
  });
  const url = await server.listen(0, '127.0.0.1');
  return { url, close: () => server.close() };
}

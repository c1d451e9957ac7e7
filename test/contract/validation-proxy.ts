/** Prism as a proxy that validates requests and responses against the contract. */
import { readFile } from 'node:fs/promises';
import { createLogger } from '@stoplight/prism-core';
import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';
import { closeAnswers } from '../../scripts/lib/closed-contract.js';
import { contractJson } from '../../server/contract/project-files.js';

export interface ValidationProxy {
  url: string;
  close: () => Promise<void>;
}

/** Lists violations in the response header `sl-violations`. Without `validateRequest`, requests may be invalid. */
export async function startValidationProxy(
  upstream: string,
  { validateRequest = true } = {},
): Promise<ValidationProxy> {
  const operations = await getHttpOperationsFromSpec(
    closeAnswers(JSON.parse(await readFile(contractJson, 'utf8')) as object),
  );
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

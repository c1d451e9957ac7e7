/** What the mock and the tests use of Prism. */

export { createLogger } from '@stoplight/prism-core';
export { createInstance, getHttpOperationsFromSpec } from '@stoplight/prism-http';
export { createServer } from '@stoplight/prism-http-server';

/** The parts of Prism that the mock and the tests use. */

export { createLogger } from '@stoplight/prism-core';
export { createInstance, getHttpOperationsFromSpec } from '@stoplight/prism-http';
export { createServer } from '@stoplight/prism-http-server';

/** The client of the Agent Hosting Service. */
export { createClient, unwrap, type PlainClient } from './client.js';
export { agentHosting, type AgentHosting } from './agent-hosting.js';
export {
  AgentHostingError,
  ApiError,
  ConnectionError,
  ConnectionTimeoutError,
  InvalidResponseError,
} from './errors.js';
export * from './generated/errors.js';
export type * from './generated/resources.js';
export type * from './generated/schema.js';
export { withMiddleware, type Middleware } from './middleware.js';
export type { ClientOptions, IdempotentOptions, RequestOptions } from './options.js';
export type { Page, Pages } from './pages.js';
export type { InvocationDelta, InvocationStream } from './stream.js';
export * from './webhooks.js';

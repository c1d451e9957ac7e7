/** The client of the Agent Hosting Service. */
export { agentHosting, type AgentHosting } from './client.js';
export type { ApiPromise, WithResponse } from './api-promise.js';
export type {
  AgentMethods,
  CancelOptions,
  Decision,
  Decisions,
  ResumeOptions,
} from './approvals.js';
export type { AsyncInvocation, ResultOptions } from './async-invocation.js';
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
export type {
  CompletedInvocation,
  InvocationDelta,
  InvocationResult,
  InvocationResultEvent,
  InvocationStreamEvent,
  PausedInvocation,
} from './invocation.js';
export type { ClientLogLevel, Logger } from './logging.js';
export { withMiddleware, type Middleware } from './middleware.js';
export type { ClientOptions, IdempotentOptions, RequestOptions } from './options.js';
export type { Page, Pages } from './pagination.js';
export { createClient, unwrap, type PlainClient } from './plain-client.js';
export type { InvocationStream } from './streaming.js';
export * from './webhooks.js';

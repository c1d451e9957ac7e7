// Generated from spec/ by npm run generate. Do not edit.

import { ApiError } from '../errors.js';

/** `invalid_request` (400). A parameter, header or body field is missing or invalid; `details` lists each problem. Correct the request. */
export class InvalidRequestError extends ApiError {}

/** `unauthorized` (401). The key or token is missing, unknown, expired or revoked. Send it as `Authorization: Bearer …`. */
export class UnauthorizedError extends ApiError {}

/** `forbidden` (403). The key is valid but lacks the permission, or the agent's security settings reject the request. */
export class ForbiddenError extends ApiError {}

/** `not_found` (404). The path or resource does not exist, or the key has no access to it. */
export class NotFoundError extends ApiError {}

/** `method_not_allowed` (405). The path exists but does not support this method. The `Allow` header lists the supported methods. */
export class MethodNotAllowedError extends ApiError {}

/** `conflict` (409). The request conflicts with the current state, or a request with the same Idempotency-Key is still running. */
export class ConflictError extends ApiError {}

/** `payload_too_large` (413). The body is larger than 1 MiB or the limit that the operator has set, or the message is too long for the agent's model. */
export class PayloadTooLargeError extends ApiError {}

/** `unsupported_media_type` (415). The body must be `application/json`. */
export class UnsupportedMediaTypeError extends ApiError {}

/** `idempotency_mismatch` (422). The Idempotency-Key was already used with a different body. Use a new key. */
export class IdempotencyMismatchError extends ApiError {}

/** `rate_limited` (429). Too many requests, or a token budget or daily limit is used up. Wait `retry_after` seconds. */
export class RateLimitedError extends ApiError {}

/** `server_error` (500). An internal error of the service. Retry with the same Idempotency-Key, and report the request id if it persists. */
export class ServerError extends ApiError {}

/** `upstream_error` (502). The model provider, the agent's own endpoint or an MCP server failed or returned an invalid response. */
export class UpstreamError extends ApiError {}

/** `unavailable` (503). The service or a provider cannot handle the request now. Wait `retry_after` seconds. */
export class UnavailableError extends ApiError {}

/** `timeout` (504). The agent exceeded its timeout. */
export class TimeoutError extends ApiError {}

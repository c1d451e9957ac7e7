// Generated from spec/ by npm run generate. Do not edit.

import { ApiError } from '../errors.js';

/** `invalid_request` (400). A parameter, header or body field is missing or wrong; `details` names each. Mend the request. */
export class InvalidRequestError extends ApiError {}

/** `unauthorized` (401). The key or token is missing, unknown, expired or revoked. Send it as `Authorization: Bearer …`. */
export class UnauthorizedError extends ApiError {}

/** `forbidden` (403). The key is good, but it lacks the permission, or the agent's security settings refuse the request. */
export class ForbiddenError extends ApiError {}

/** `not_found` (404). There is no such path or resource, or the key may not see it. */
export class NotFoundError extends ApiError {}

/** `method_not_allowed` (405). The path exists, but not with this method. The `Allow` header lists those it has. */
export class MethodNotAllowedError extends ApiError {}

/** `conflict` (409). The request does not fit the present state, or one with the same Idempotency-Key is still running. */
export class ConflictError extends ApiError {}

/** `payload_too_large` (413). The body is larger than 1 MiB. */
export class PayloadTooLargeError extends ApiError {}

/** `unsupported_media_type` (415). The body must be `application/json`. */
export class UnsupportedMediaTypeError extends ApiError {}

/** `idempotency_mismatch` (422). This Idempotency-Key was used with another body. Use a new key. */
export class IdempotencyMismatchError extends ApiError {}

/** `rate_limited` (429). Too many requests, or a budget of tokens is used up. Wait for `retry_after` seconds. */
export class RateLimitedError extends ApiError {}

/** `server_error` (500). A fault of the service. Retry with the same Idempotency-Key, and report the request id if it stays. */
export class ServerError extends ApiError {}

/** `upstream_error` (502). The model provider, the agent's own endpoint or an MCP server failed or answered nonsense. */
export class UpstreamError extends ApiError {}

/** `unavailable` (503). The service or a provider cannot take the request now. Wait for `retry_after` seconds. */
export class UnavailableError extends ApiError {}

/** `timeout` (504). The agent took longer than its time-out. */
export class TimeoutError extends ApiError {}

// Generated from spec/ by npm run generate. Do not edit.

import type { ApiError } from '../errors.js';
import * as error from './errors.js';
import type * as schema from './schema.js';

/** The version in package.json. */
export const clientVersion = '0.1.0';

export const defaultBaseUrl = 'http://127.0.0.1:3000';

/** The page size for reading a whole list; every list allows it. */
export const pageSize = 100;

/** The largest page of each list. */
export const maxPageSizes = {
    listAgents: 100,
    listDeployments: 100,
    getLogs: 1000,
    listWebhooks: 100,
    listApiKeys: 100,
};

export const eventTypes: schema.EventType[] = ['agent.completed', 'agent.failed', 'agent.paused'];
export const granularities: schema.Granularity[] = ['1m', '5m', '1h', '1d'];
export const permissions: schema.Permission[] = ['read', 'write', 'delete', 'manage'];

/** Text that a terminal shows as it is. */
export const printableText = /^[^\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]*$/u;

/** The options that are sent as headers. */
export interface HeaderOptions {
    idempotencyKey?: string | undefined;
    toolAuthorization?: string | undefined;
    mfaCode?: string | undefined;
}

export function headersFrom(options: HeaderOptions = {}) {
    return {
        'idempotency-key': options.idempotencyKey,
        'x-tool-authorization': options.toolAuthorization,
        'x-mfa-code': options.mfaCode,
    };
}

export const errorClasses: Partial<Record<number, typeof ApiError>> = {
    400: error.InvalidRequestError,
    401: error.UnauthorizedError,
    403: error.ForbiddenError,
    404: error.NotFoundError,
    405: error.MethodNotAllowedError,
    409: error.ConflictError,
    413: error.PayloadTooLargeError,
    415: error.UnsupportedMediaTypeError,
    422: error.IdempotencyMismatchError,
    429: error.RateLimitedError,
    500: error.ServerError,
    502: error.UpstreamError,
    503: error.UnavailableError,
    504: error.TimeoutError,
};

/** The status of each error that can end a stream; the stream's own status was sent before. */
export const streamStatuses: Partial<Record<string, number>> = {
    invalid_request: 400,
    not_found: 404,
    conflict: 409,
    payload_too_large: 413,
    rate_limited: 429,
    server_error: 500,
    upstream_error: 502,
    unavailable: 503,
    timeout: 504,
};

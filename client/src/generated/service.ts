// Generated from spec/ by npm run generate. Do not edit.

import type { ApiError } from '../errors.js';
import * as error from './errors.js';

export const defaultBaseUrl = 'http://127.0.0.1:3000';

/** How many items to ask for at once where all are wanted; every list allows as many. */
export const pageSize = 100;

/** The options that stand for headers. */
export interface HeaderOptions {
    idempotencyKey?: string | undefined;
    mfaCode?: string | undefined;
}

export function headersFrom(options: HeaderOptions = {}) {
    return {
        'idempotency-key': options.idempotencyKey,
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

/** Of the errors that can break off a stream, which has told its status before. */
export const streamStatuses: Partial<Record<string, number>> = {
    server_error: 500,
    upstream_error: 502,
    unavailable: 503,
    timeout: 504,
};

/** Checks an error response that was received over a raw socket. */
import { expect } from '@jest/globals';
import type { ErrorCode, ErrorResponse } from '../../generated/api.js';
import { errorStatus } from '../../generated/operations.js';
import { isId } from '../../server/lib/data/typeid.js';
import type { RawAnswer } from '../helpers/servers/raw-http.js';

/** Fails unless the body is the contract's error body, with the status of its code and a request id. */
export function expectError(answer: RawAnswer, code: ErrorCode): ErrorResponse['error'] {
  const body: unknown = JSON.parse(answer.body);
  expect(body).toMatchObject({ success: false, error: { code, message: expect.any(String) } });
  expect(answer.status).toBe(errorStatus[code]);
  expect(isId('req', answer.headers['x-request-id'] ?? '')).toBe(true);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  return (body as ErrorResponse).error;
}

/** The promise that calls return: resolves to the result, and gives access to the HTTP response. */
import { getRequestId, parseResponse, type Envelope } from './response.js';

/** The result of a call, with `await`. */
export interface ApiPromise<Result> extends Promise<Result> {
  /** The result together with the response: its status, its headers, and the request id. */
  withResponse: () => Promise<WithResponse<Result>>;
}

export interface WithResponse<Result> {
  data: Result;
  /** Its body has already been read. */
  response: Response;
  /** Identifies the log entries of the request. Include it when you report a problem. */
  requestId: string | null;
}

export function createApiPromise<Result>(
  sent: Promise<Response>,
  toResult: (body: Envelope) => Result,
): ApiPromise<Result> {
  const result = sent.then(parseResponse).then(toResult);
  return Object.assign(result, {
    withResponse: async () => attachResponse(await result, await sent),
  });
}

export function attachResponse<Result>(data: Result, response: Response): WithResponse<Result> {
  return { data, response, requestId: getRequestId(response.headers) };
}

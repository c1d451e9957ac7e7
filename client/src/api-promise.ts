/** What calls return: a promise of the result, which can also give the response that it came in. */
import { getRequestId, parseResponse, type Envelope } from './response.js';

/** The result of a call, with `await`. */
export interface ApiPromise<Result> extends Promise<Result> {
  /** The result together with the response: its status, its headers, and the id of the request. */
  withResponse: () => Promise<WithResponse<Result>>;
}

export interface WithResponse<Result> {
  data: Result;
  /** Its body has been read already. */
  response: Response;
  /** Identifies the log entries of the request. Quote it when you ask for help. */
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

/** What any operation may answer, for those who handle answers without knowing the operation. */
import type { InvocationEvent } from '../../generated/api.js';

type Headers = Record<string, string | number>;

export interface JsonResponse {
  status: number;
  headers?: Headers;
  body?: unknown;
}

export interface StreamedResponse {
  status: number;
  headers?: Headers;
  events: AsyncIterable<InvocationEvent>;
}

export type OperationResponse = JsonResponse | StreamedResponse;

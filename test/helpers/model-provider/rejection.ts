/** Why a real API would reject a request, and how it says so. */
import type { Json } from './json.js';
import type { ServerKind } from './settings.js';

export type ApiName = 'chat' | 'responses' | 'messages';

interface RejectionDetails {
  status?: number;
  type?: string;
  param?: string | null;
  code?: string | number | null;
  headers?: Record<string, string>;
  /** Further members of the error object. */
  more?: Json;
}

export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | number | null;
  readonly headers: Record<string, string>;
  readonly more: Json;

  constructor(message: string, details: RejectionDetails = {}) {
    super(message);
    this.status = details.status ?? 400;
    this.type = details.type ?? 'invalid_request_error';
    this.param = details.param ?? null;
    this.code = details.code ?? null;
    this.headers = details.headers ?? {};
    this.more = details.more ?? {};
  }
}

/** The error object of an OpenAI error body, which is also that of its stream events. */
export function openaiError({ message, type, param, code, more }: Rejection): Json {
  return { message, type, param, code, ...more };
}

export function anthropicError({ type, message }: Rejection): Json {
  return { type: 'error', error: { type, message }, request_id: 'req_011fake' };
}

export function errorBody(api: ApiName, kind: ServerKind, rejection: Rejection): Json {
  const { message, type, status, more } = rejection;
  if (api === 'messages') return anthropicError(rejection);
  if (api === 'responses') return { error: openaiError(rejection) };
  switch (kind) {
    case 'lmstudio':
      return { error: message };
    case 'tgi':
      return { error: message, error_type: 'validation' };
    case 'llama.cpp':
      return { error: { code: status, message, type, ...more } };
    case 'vllm':
      return { error: { message, type: 'BadRequestError', param: null, code: status } };
    default:
      return { error: openaiError(rejection) };
  }
}

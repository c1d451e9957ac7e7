/** Tells what an error of a model provider is about, from its status, its codes and, where those are vague, its words. */
import { types } from 'node:util';
import { z } from 'zod';
import type { FailureKind } from '../model.js';

export type ErrorKind = FailureKind | 'rate_limit' | 'refused' | 'other';

export interface ReportedError {
  /** An HTTP status, also if it is only in the body, as with gateways. */
  status?: number | undefined;
  /** The error's `code` and `type`. */
  codes: string[];
  message: string;
}

const label = z.union([z.string(), z.number()]).nullish();
const fields = z.object({ message: z.string(), type: label, code: label });

/**
 * Where providers put it: in `error`, as chat completions, Messages and Responses do; in `response.error`, as failed Responses do; or
 * at the top, as the AI SDK passes it on.
 */
const report = z.union([
  z.object({ error: fields }).transform(({ error }) => error),
  z.object({ error: z.string() }).transform(({ error }) => ({ message: error })),
  z.object({ response: z.object({ error: fields }) }).transform(({ response }) => response.error),
  z
    .object({ data: z.object({ response: z.object({ error: fields }) }) })
    .transform(({ data }) => data.response.error),
  fields,
  z.string().transform((message) => ({ message })),
]);

/** Undefined if the value is not an error in a format of the providers. */
export function readReport(value: unknown): ReportedError | undefined {
  if (types.isNativeError(value)) return undefined;
  const { data } = report.safeParse(value);
  if (!data) return undefined;
  const { message, ...labels } = data;
  const codes = Object.values<unknown>(labels).filter((code) => typeof code === 'string');
  const status = Object.values<unknown>(labels)
    .map(Number)
    .find((code) => Number.isInteger(code) && code >= 400 && code <= 599);
  return { message, codes, status };
}

const quotaCodes = ['insufficient_quota', 'billing_error', 'billing_hard_limit_reached'];
const rateLimitCodes = ['rate_limit_error', 'rate_limit_exceeded', 'too_many_requests'];
const overloadCodes = [
  'overloaded_error',
  'server_overloaded',
  'server_is_overloaded',
  'slow_down',
];
const contextCodes = [
  'context_length_exceeded',
  'exceed_context_size_error',
  'string_above_max_length',
];
const refusalCodes = [
  'invalid_request_error',
  'invalid_prompt',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
];

/** Anthropic's 400 has no code of its own for an empty account. */
const quotaWords = /credit balance is too low|insufficient balance/i;

const statusesOfLongPrompts: readonly (number | undefined)[] = [400, 413, 422, 500, undefined];

/** Each server has its own words for a prompt that does not fit into the context window. */
const wordsOfLongPrompts = [
  // OpenAI, vLLM, OpenRouter, DeepSeek, Mistral.
  /maximum context length|exceeds? (?:the |this |your )?(?:model'?s? )?(?:available |maximum )?context/i,
  /exceeds the context (?:window|limit|size|length)/i,
  // Anthropic.
  /prompt is too long|exceed context limit|request_too_large/i,
  // vLLM, when it checks the prompt itself.
  /longer than the maximum model length/i,
  // LM Studio.
  /context (?:the )?overflows|greater than the context length|loaded with context length/i,
  // Text Generation Inference, Together.
  /inputs`? tokens \+ `?max_new_tokens/i,
  // Groq, Bedrock, Gemini.
  /reduce the length of (?:the|your) (?:messages|prompt|input)|input is too long|input token count .*exceeds/i,
  // LiteLLM.
  /ContextWindowExceeded/i,
];

export function kindOf({ status, codes, message }: ReportedError): ErrorKind {
  const has = (known: readonly string[]) => codes.some((code) => known.includes(code));
  if (status === 402 || has(quotaCodes) || quotaWords.test(message)) return 'quota';
  if (has(contextCodes) || isPromptTooLong(status, message)) return 'context_length';
  if (status === 429 || has(rateLimitCodes)) return 'rate_limit';
  if (status === 529 || status === 503 || has(overloadCodes)) return 'overloaded';
  const isClientError = status !== undefined && status < 500 && status !== 408 && status !== 409;
  return isClientError || (status === undefined && has(refusalCodes)) ? 'refused' : 'other';
}

/** An error event in a stream has no status. */
function isPromptTooLong(status: number | undefined, text: string): boolean {
  // OpenAI counts tokens per minute too, and a request above that limit will never be accepted.
  if (status === 429) return /request too large/i.test(text);
  return (
    statusesOfLongPrompts.includes(status) &&
    wordsOfLongPrompts.some((pattern) => pattern.test(text))
  );
}

/** Turns the errors of the AI SDK, and those that providers send in a stream, into model failures. */
import { APICallError } from 'ai';
import { errorCode } from '../../lib/errors/error-code.js';
import { ResponseTooLarge } from '../../lib/net/limit-stream.js';
import { retryAfterMs } from '../../lib/net/retry-after.js';
import { errorText } from '../error-text.js';
import { failureOfStatus, ModelFailure } from '../model.js';
import { isPromptTooLong } from './prompt-too-long.js';

export function failureOfProvider(error: unknown, apiKey: string | undefined): ModelFailure {
  if (error instanceof ModelFailure) return error;
  const secrets = apiKey === undefined ? [] : [apiKey];
  if (APICallError.isInstance(error)) {
    const { statusCode = 0, responseHeaders = {}, responseBody = '' } = error;
    if (statusCode >= 400) {
      const said = errorText(responseBody, secrets);
      if (isPromptTooLong(statusCode, responseBody)) return promptTooLong(said, statusCode);
      return failureOfStatus(statusCode, retryAfterMs(responseHeaders), said);
    }
  }
  if (causeOf(error) instanceof ResponseTooLarge) {
    return new ModelFailure("the provider's response is too long", { retryable: false });
  }
  const code = errorCode(causeOf(error));
  return new ModelFailure(
    code === undefined
      ? "the provider's response ended early or is not valid"
      : `the connection to the provider failed (${code})`,
    { retryable: true },
  );
}

export function promptTooLong(said: string | undefined, status?: number): ModelFailure {
  return new ModelFailure("the prompt does not fit into the model's context window", {
    retryable: false,
    promptTooLong: true,
    status,
    said,
  });
}

/** Libraries wrap the network's error, often several times. */
function causeOf(error: unknown): unknown {
  const isWrapper = typeof error === 'object' && error !== null && 'cause' in error;
  return errorCode(error) === undefined && isWrapper ? causeOf(error.cause) : error;
}

/** Turns the errors of the AI SDK, and those that providers send in a stream, into model failures. */
import { APICallError } from 'ai';
import { errorCode } from '../../lib/errors/error-code.js';
import { ResponseTooLarge } from '../../lib/net/limit-stream.js';
import { ModelFailure } from '../model.js';
import { failureOfResponse } from './response-error.js';
import { failureInStream } from './stream-error.js';

/** `secrets` are the credentials of the request. */
export function failureOfProvider(error: unknown, secrets: readonly string[]): ModelFailure {
  if (error instanceof ModelFailure) return error;
  if (APICallError.isInstance(error)) {
    const {
      statusCode: status = 0,
      responseHeaders: headers = {},
      responseBody: body = '',
    } = error;
    if (status >= 400) return failureOfResponse({ status, headers, body }, secrets);
  }
  const reported = failureInStream(error, secrets);
  if (reported) return reported;
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

/** Libraries wrap the network's error, often several times. */
function causeOf(error: unknown): unknown {
  const isWrapper = typeof error === 'object' && error !== null && 'cause' in error;
  return errorCode(error) === undefined && isWrapper ? causeOf(error.cause) : error;
}

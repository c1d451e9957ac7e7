/** Explains a failed call of a model provider, from its response or from what its library throws, with the provider's words for the log. */
import { APICallError } from 'ai';
import { z } from 'zod';
import { errorCode } from '../../lib/errors/error-code.js';
import { ResponseTooLarge } from '../../lib/net/limit-stream.js';
import { retryAfterMs } from '../../lib/net/retry-after.js';
import { errorText } from '../error-text.js';
import { failureOfStatus, ModelFailure } from '../model.js';
import { type ErrorKind, kindOf, readReport } from './error-kind.js';
import { statusHeader } from './limited-fetch.js';

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

interface ErrorResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue('not JSON');
    return z.NEVER;
  }
});

function failureOfResponse(
  { status, headers, body }: ErrorResponse,
  secrets: readonly string[],
): ModelFailure {
  const { data: parsed } = json.safeParse(body);
  // The library invents a status for an error that is the first event of a response.
  const isInStream = headers[statusHeader]?.startsWith('2') ?? false;
  const inStream = isInStream ? failureInStream(parsed, secrets) : undefined;
  if (inStream) return inStream;
  const said = errorText(body, secrets);
  const report = readReport(parsed) ?? { codes: [], message: said ?? '' };
  const kind = kindOf({ ...report, status });
  const failure = failureOfStatus(status, retryAfterMs(headers), said);
  if (kind === 'quota') {
    return new ModelFailure(`${failure.message}: its quota is used up`, {
      retryable: false,
      kind,
      status,
      said,
    });
  }
  if (kind !== 'context_length') return failure;
  return new ModelFailure(`${failure.message}: the prompt is too long`, {
    retryable: false,
    kind,
    status,
    said,
  });
}

const descriptions: Record<ErrorKind, string> = {
  quota: "the provider's quota is used up",
  rate_limit: 'the provider limits its rate, as it reported in its response',
  context_length: 'the prompt is too long for the model, as the provider reported in its response',
  overloaded: 'the provider is overloaded, as it reported in its response',
  refused: 'the provider rejected the request in its response',
  other: 'the provider reported an error in its response',
};

/** The failure for an error that a provider reports after its response has begun. Undefined if the value does not come from the provider: then the connection or the response is broken. */
export function failureInStream(
  error: unknown,
  secrets: readonly string[] = [],
): ModelFailure | undefined {
  const report = readReport(error);
  if (!report) return undefined;
  const kind = kindOf(report);
  return new ModelFailure(descriptions[kind], {
    retryable: kind === 'rate_limit' || kind === 'overloaded' || kind === 'other',
    rateLimited: kind === 'rate_limit',
    kind: kind === 'rate_limit' || kind === 'refused' || kind === 'other' ? undefined : kind,
    said: errorText(JSON.stringify({ message: report.message }), secrets),
  });
}

/** The failure for an error that a provider reports after its response has begun, with the provider's words for the log. */
import { errorText } from '../error-text.js';
import { ModelFailure } from '../model.js';
import { kindOf, readReport, type ErrorKind } from './error-kind.js';

const descriptions: Record<ErrorKind, string> = {
  quota: "the provider's quota is used up",
  rate_limit: 'the provider limits its rate, as it reported in its response',
  context_length: 'the prompt is too long for the model, as the provider reported in its response',
  overloaded: 'the provider is overloaded, as it reported in its response',
  refused: 'the provider rejected the request in its response',
  other: 'the provider reported an error in its response',
};

/** Undefined if the value does not come from the provider: then the connection or the response is broken. */
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

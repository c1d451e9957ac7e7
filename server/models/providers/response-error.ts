/** The failure for a provider's error response. */
import { z } from 'zod';
import { retryAfterMs } from '../../lib/net/retry-after.js';
import { errorText } from '../error-text.js';
import { failureOfStatus, ModelFailure } from '../model.js';
import { kindOf, readReport } from './error-kind.js';
import { statusHeader } from './limited-fetch.js';
import { failureInStream } from './stream-error.js';

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

/** `secrets` are the credentials of the request. */
export function failureOfResponse(
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

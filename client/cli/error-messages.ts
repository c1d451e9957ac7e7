/** Error messages: what went wrong and what to do about it, as text for people or as JSON for programs. */
import {
  ApiError,
  ConnectionError,
  InvalidResponseError,
  PayloadTooLargeError,
  UnauthorizedError,
  UpstreamError,
} from '../src/index.js';
import type { ServiceTarget } from './connection.js';
import { CommandError, HintedError } from './exit-codes.js';
import { jsonLines } from './output.js';
import type { Line } from './terminal.js';
import { oneLine } from './text.js';

/** The state of a command that its error messages depend on. */
export interface ErrorContext {
  isJson: boolean;
  target: ServiceTarget | undefined;
}

/** Text or JSON; both go to standard error, so that standard output holds only the result. */
export function formatError(thrown: unknown, { isJson, target }: ErrorContext): Line[] {
  const error = thrown instanceof HintedError ? thrown.cause : thrown;
  const hints = [
    ...hintsFor(error, target),
    ...(thrown instanceof HintedError ? thrown.hints : []),
  ];
  const message = messageOf(error, target);
  const { status, code, details, retryAfter, retryable, requestId } =
    error instanceof ApiError ? error : ({ details: [] } as Partial<ApiError>);
  if (isJson) {
    const isOwn = error instanceof CommandError || thrown instanceof HintedError;
    const messageWithHints = isOwn ? [asSentence(message), ...hints].join(' ') : message;
    const fields = { code, message: messageWithHints, status, details };
    const retry = { retry_after: retryAfter, retryable };
    return jsonLines({ error: { ...fields, ...retry, request_id: requestId ?? undefined } });
  }
  const suffix = code === undefined ? '' : ` (${code})`;
  const request: Line[] = requestId ? [[{ style: 'dim', text: `request ${requestId}` }]] : [];
  return [
    [{ style: 'red', text: 'error:' }, ` ${oneLine(message)}${suffix}`],
    ...request,
    ...hints,
  ];
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function messageOf(error: unknown, target: ServiceTarget | undefined): string {
  const message = error instanceof Error ? error.message : String(error);
  if (!target) return message;
  if (error instanceof ConnectionError) {
    return `No response from ${target.baseUrl}: ${rootCause(error)}`;
  }
  if (error instanceof InvalidResponseError) {
    return `The server at ${target.baseUrl} is not an Agent Hosting Service.`;
  }
  return message;
}

/** The innermost cause is the most specific. */
export function rootCause(error: Error): string {
  if (error.cause instanceof Error) return rootCause(error.cause);
  // An AggregateError of several connection attempts has a code but no message.
  return error.message || ('code' in error ? String(error.code) : error.name);
}

const otherUrlHint =
  'Name another with --base-url, or log in there: agent-hosting login --base-url URL';

const repeatHint =
  "Send the message again only if the effects of the agent's tool calls may happen a second time.";

function hintsFor(error: unknown, target: ServiceTarget | undefined): string[] {
  if (error instanceof CommandError) return error.hints;
  if (error instanceof ConnectionError) {
    return ['Check that the service is running and that this is its URL.', otherUrlHint];
  }
  if (error instanceof InvalidResponseError) return [otherUrlHint];
  if (!(error instanceof ApiError)) return [];
  if (error.code === undefined) {
    return [
      'This response did not come from the service itself, but from a proxy or another server.',
    ];
  }
  if (error instanceof UnauthorizedError && target) return [keyHint(target)];
  const isFinal = error.retryable === false;
  // Its message says what to do: send a shorter one.
  if (isFinal && error instanceof PayloadTooLargeError) return [];
  if (isFinal || error instanceof UpstreamError) {
    return [
      ...(error.requestId
        ? [`The agent's log has the reason: agent-hosting logs AGENT --request ${error.requestId}`]
        : []),
      ...(isFinal ? [repeatHint] : []),
    ];
  }
  return error.retryAfter === undefined ? [] : [`Try again in ${error.retryAfter} s.`];
}

function keyHint({ profile }: ServiceTarget): string {
  return profile === undefined
    ? 'The key is from AGENT_HOSTING_API_KEY, which overrides profiles. Set a valid key, or unset it and run agent-hosting login.'
    : `The key is from the profile '${profile}'. Run agent-hosting login --profile ${profile}`;
}

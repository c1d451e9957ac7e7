/** Says what went wrong and what to do about it: in sentences for people, as JSON for programs. */
import {
  ApiError,
  ConnectionError,
  InvalidResponseError,
  UnauthorizedError,
} from '../src/index.js';
import type { Service } from './connection.js';
import { CommandFailure } from './exit-codes.js';
import type { Terminal } from './terminal.js';
import { oneLine, safeJson } from './text.js';

/** How far a command had come when it failed. */
export interface Circumstances {
  isJson: boolean;
  service: Service | undefined;
}

/** Both forms go to where remarks go, so that the result is nothing but the result. */
export function describeFailure(
  error: unknown,
  { isJson, service }: Circumstances,
  { paintNote }: Pick<Terminal, 'paintNote'>,
): string {
  const message = messageOf(error, service);
  const { status, code, details, retryAfter, requestId } =
    error instanceof ApiError ? error : ({ details: [] } as Partial<ApiError>);
  if (isJson) {
    const hints = error instanceof CommandFailure ? error.hints : [];
    const whole = [message, ...hints].join(' ');
    const fields = { code, message: whole, status, details, retry_after: retryAfter };
    return `${safeJson({ error: { ...fields, request_id: requestId ?? undefined } }, 2)}\n`;
  }
  const suffix = code === undefined ? '' : ` (${oneLine(code)})`;
  const request = requestId ? [paintNote('dim', `request ${oneLine(requestId)}`)] : [];
  const lines = [
    `${paintNote('red', 'error:')} ${oneLine(message)}${suffix}`,
    ...(details ?? []).map((one) => `  ${oneLine(one.field)}: ${oneLine(one.error)}`),
    ...request,
    ...hintsFor(error, service),
  ];
  return `${lines.join('\n')}\n`;
}

function messageOf(error: unknown, service: Service | undefined): string {
  const message = error instanceof Error ? error.message : String(error);
  if (!service) return message;
  if (error instanceof ConnectionError) {
    return `No answer from ${service.baseUrl}: ${reasonOf(error)}`;
  }
  if (error instanceof InvalidResponseError) {
    return `What answers at ${service.baseUrl} is no Agent Hosting Service.`;
  }
  return message;
}

/** The innermost cause is what a person can do something about. */
function reasonOf(error: Error): string {
  if (error.cause instanceof Error) return reasonOf(error.cause);
  // Of several addresses tried in vain there is no message, but a code.
  return error.message || ('code' in error ? String(error.code) : error.name);
}

const otherAddress =
  'Name another with --base-url, or log in there: agent-hosting login --base-url URL';

function hintsFor(error: unknown, service: Service | undefined): string[] {
  if (error instanceof CommandFailure) return error.hints;
  if (error instanceof ConnectionError) {
    return ['Check that the service runs, and that this is its address.', otherAddress];
  }
  if (error instanceof InvalidResponseError) return [otherAddress];
  if (!(error instanceof ApiError)) return [];
  if (error.code === undefined) {
    return [
      'This did not come from the service itself: something stands before it, or in its place.',
    ];
  }
  if (error instanceof UnauthorizedError && service) {
    const { profile } = service;
    return profile === undefined
      ? [
          'The key is that of AGENT_HOSTING_API_KEY. Set one that works, or run agent-hosting login.',
        ]
      : [
          `The key is that of the profile '${profile}'. Run agent-hosting login --profile ${profile}`,
        ];
  }
  return error.retryAfter === undefined ? [] : [`Try again in ${error.retryAfter} s.`];
}

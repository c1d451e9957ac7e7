/** Ways in which a provider fails before its stream begins. */
import { errorBody, Rejection } from './rejection.js';
import type { Behaviour } from './received.js';
import { tooManyRequests } from './rate-limit.js';

/** Accepts the request and never answers. */
export const hang: Behaviour = () => undefined;

export function status(code: number, headers: Record<string, string> = {}): Behaviour {
  return refusal(code, { error: { message: 'sk-secret-of-the-provider', type: 'x' } }, headers);
}

/** Answers with this body, JSON or text. */
export function refusal(
  code: number,
  body: object | string,
  headers: Record<string, string> = {},
): Behaviour {
  return (res) => {
    const isText = typeof body === 'string';
    res.writeHead(code, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
    res.end(isText ? body : JSON.stringify(body));
  };
}

/** Closes the connection without a response. */
export const refuse: Behaviour = (res) => {
  res.destroy();
};

/** The response of a captive portal or a wrong address. */
export const html: Behaviour = (res) => {
  res.writeHead(200, { 'content-type': 'text/html' });
  res.end('<html><body>Welcome to nginx!</body></html>');
};

/** Answers with this error, in the format of the API and of the kind of server. */
export function rejecting(rejection: Rejection): Behaviour {
  return (res, request) => {
    const { status: code, headers } = rejection;
    const body = errorBody(request.api ?? 'chat', request.kind, rejection);
    return refusal(code, body, headers)(res, request);
  };
}

/** The errors of both APIs of OpenAI and of Anthropic's, in their words. */
export const rateLimited = (seconds: number): Behaviour => {
  return (res, request) => {
    const { api = 'chat', prompt } = request;
    const excess = tooManyRequests({ api, model: prompt().model, perMinute: 500, seconds });
    return rejecting(excess)(res, request);
  };
};

export const quotaExceeded: Behaviour = (res, request) =>
  rejecting(
    request.api === 'messages'
      ? new Rejection(
          'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
        )
      : new Rejection(
          'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
          { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
        ),
  )(res, request);

/** Anthropic has its own status for this. */
export const overloadedError = (api: string | undefined): Rejection =>
  api === 'messages'
    ? new Rejection('Overloaded', { status: 529, type: 'overloaded_error' })
    : new Rejection('The engine is currently overloaded, please try again later', {
        status: 503,
        type: 'server_error',
      });

export const overloaded: Behaviour = (res, request) =>
  rejecting(overloadedError(request.api))(res, request);

export const serverError = new Rejection(
  'The server had an error while processing your request. Sorry about that!',
  { status: 500, type: 'server_error', code: 'server_error' },
);

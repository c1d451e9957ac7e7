/** The last step of the mock: responds to a valid request with an example of the contract. */

import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorCode, ErrorDetail, InvocationEvent } from '../../generated/api.js';
import type { Route } from '../../generated/operations.js';
import { errorDetail, invalid, ServiceError, serverError } from '../../server/contract/errors.js';
import { prefersEvents } from '../../server/http/transport/negotiate.js';
import type { Step } from '../../server/http/transport/request.js';
import { type ResponseHeaders, sendJson } from '../../server/http/transport/respond.js';
import { sendEvents } from '../../server/http/transport/stream.js';
import { parsePreferences } from '../../server/lib/net/preferences.js';
import type { ExampleRequest } from '../lib/example-request.js';
import { isObject, type JsonObject } from '../lib/json.js';
import type { ChooseExample } from './examples.js';
import { reflect, withNames } from './reflect.js';
import { vary } from './vary.js';

export interface Behaviour {
  /** Vary every response, as `Prefer: dynamic=true` does for one. */
  isDynamic: boolean;
  /** The pause between the events of a stream. */
  delayMs: number;
}

const accepted = 202;

export function answerWith(
  chooseExample: ChooseExample,
  route: Route,
  example: ExampleRequest,
  { isDynamic, delayMs }: Behaviour,
): Step {
  // The ids of asynchronous requests by Idempotency-Key, since a client waits by repeating its request.
  const acceptedIds = new Map<string, string>();
  return async (req, res) => {
    const preferences = parsePreferences(req.headers['prefer']?.toString());
    const isAsync =
      route.statuses.includes(accepted) &&
      preferences.has('respond-async') &&
      !preferences.has('example');
    const isCancelling = route.statuses.includes(accepted) && preferences.has('cancel');
    if (isCancelling && req.headers['idempotency-key'] === undefined) {
      throw invalid({ field: 'Idempotency-Key', error: 'is required by Prefer: cancel' });
    }
    const key = isAsync ? req.headers['idempotency-key']?.toString() : undefined;
    const firstId = key && acceptedIds.get(key);
    if (key && !firstId) acceptedIds.set(key, req.requestId);
    const { statusCode: status, body } = await chooseExample(route, {
      code:
        preferences.get('code') ??
        (isCancelling || (isAsync && !firstId) ? String(accepted) : undefined),
      example: preferences.get('example'),
    });
    const request = {
      id: firstId ?? req.requestId,
      creates: status === 201,
      path: req.params,
      query: req.query,
      body: objectOf(req.body),
    };
    const found = objectOf(body);
    const isStream = route.operationId === 'invokeAgent' && prefersEvents(req);
    if (status >= 400) {
      const error = errorOf(withNames(found, request, example));
      if (!isStream || !failuresOfAgents.includes(error.code)) throw error;
      await sendEvents(res, { status: 200, events: failingWith(error) }, reportFault);
      return;
    }
    const dynamic = preferences.get('dynamic') ?? String(isDynamic);
    const answer = reflect(dynamic === 'true' ? vary(found) : found, request, example);
    const headers: ResponseHeaders = {
      ...(status === accepted
        ? { 'Preference-Applied': isCancelling ? 'cancel' : 'respond-async' }
        : {}),
      ...(firstId === undefined ? {} : { 'Idempotency-Replayed': 'true' }),
    };
    if (status === 200 && isStream) {
      const events = eventsOf(answer, delayMs);
      await sendEvents(res, { status, headers, events }, reportFault);
    } else {
      sendJson(res, status, answer, headers);
    }
  };
}

const reportFault = (error: unknown) => Promise.resolve(serverError(error));

/** An error of the service, so that the same step sets its headers. */
function errorOf({ error }: JsonObject): ServiceError {
  const { code, message, details, retry_after, retryable } = error as ErrorDetail;
  return new ServiceError(code, message, {
    ...(details === undefined ? {} : { details }),
    ...(retry_after === undefined ? {} : { retryAfter: retry_after }),
    ...(retryable === false ? { retryable } : {}),
  });
}

/** Errors that occur only when the agent runs, so that a stream has already begun. */
const failuresOfAgents: readonly ErrorCode[] = ['upstream_error', 'timeout'];

async function* failingWith(error: ServiceError): AsyncGenerator<InvocationEvent> {
  yield await Promise.resolve({ event: 'error' as const, data: errorDetail(error) });
}

/** Streams the reply word by word. */
async function* eventsOf({ data }: JsonObject, delayMs: number): AsyncGenerator<InvocationEvent> {
  const invocation = data as Extract<InvocationEvent, { event: 'done' }>['data'];
  for (const text of invocation.response.match(/\S+\s*/g) ?? []) {
    yield { event: 'delta', data: { text } };
    // Does not keep a stopped mock running.
    await delay(delayMs, undefined, { ref: false });
  }
  yield { event: 'done', data: invocation };
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

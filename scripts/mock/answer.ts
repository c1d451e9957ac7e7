/** The last step of the mock: answers a valid request with an example of the contract. */

import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorDetail, InvocationEvent } from '../../generated/api.js';
import type { Route } from '../../generated/operations.js';
import { ServiceError, serverError } from '../../server/domain/errors.js';
import { prefersEvents } from '../../server/http/transport/negotiate.js';
import type { Step, StepRequest } from '../../server/http/transport/request.js';
import { type ResponseHeaders, sendJson } from '../../server/http/transport/respond.js';
import { sendEvents } from '../../server/http/transport/stream.js';
import { parsePreferences } from '../../server/lib/preferences.js';
import type { ExampleRequest } from '../lib/example-request.js';
import { isObject, type JsonObject } from '../lib/json.js';
import type { ChooseExample } from './examples.js';
import { preferredStatus } from './mistakes.js';
import { reflect, withNames } from './reflect.js';
import { vary } from './vary.js';

interface AnswerOptions {
  route: Route;
  example: ExampleRequest;
  chooseExample: ChooseExample;
  isDynamic: boolean;
}

const accepted = 202;

export function answerWith({ route, example, chooseExample, isDynamic }: AnswerOptions): Step {
  const acceptedKeys = createAcceptedKeys();
  return async (req, res) => {
    const preferences = parsePreferences(req.headers['prefer']?.toString());
    const isAsync = route.statuses.includes(accepted) && preferences.has('respond-async');
    const firstId = isAsync ? acceptedKeys.firstOf(req) : undefined;
    const { status, body } = await chooseExample(route, {
      status: preferredStatus(req) ?? (isAsync && firstId === undefined ? accepted : undefined),
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
    if (status >= 400) throw errorOf(withNames(found, request, example));
    const dynamic = preferences.get('dynamic') ?? String(isDynamic);
    const answer = reflect(dynamic === 'true' ? vary(found) : found, request, example);
    const headers: ResponseHeaders = {
      ...(status === accepted ? { 'Preference-Applied': 'respond-async' } : {}),
      ...(firstId === undefined ? {} : { 'Idempotency-Replayed': 'true' }),
    };
    if (status === 200 && route.operationId === 'invokeAgent' && prefersEvents(req)) {
      await sendEvents(res, { status, headers, events: eventsOf(answer) }, (error) =>
        Promise.resolve(serverError(error)),
      );
    } else {
      sendJson(res, status, answer, headers);
    }
  };
}

const maxAcceptedKeys = 10_000;

/** A client waits for an asynchronous invocation by repeating its request: the repeat finds the result. */
function createAcceptedKeys() {
  const requestIds = new Map<string, string>();
  return {
    /** The id of the request that came with the same Idempotency-Key before; undefined if this one is the first. */
    firstOf: ({ headers, requestId }: StepRequest): string | undefined => {
      const key = headers['idempotency-key']?.toString();
      if (key === undefined) return undefined;
      const firstId = requestIds.get(key);
      if (firstId === undefined) {
        if (requestIds.size >= maxAcceptedKeys) requestIds.clear();
        requestIds.set(key, requestId);
      }
      return firstId;
    },
  };
}

/** As an error of the service, so that its headers come from the same place. */
function errorOf({ error }: JsonObject): ServiceError {
  const { code, message, details, retry_after } = error as ErrorDetail;
  return new ServiceError(code, message, {
    ...(details === undefined ? {} : { details }),
    ...(retry_after === undefined ? {} : { retryAfter: retry_after }),
  });
}

/** The reply word by word, as a model would write it. */
async function* eventsOf({ data }: JsonObject): AsyncGenerator<InvocationEvent> {
  const invocation = data as Extract<InvocationEvent, { event: 'done' }>['data'];
  for (const text of invocation.response.match(/\S+\s*/g) ?? []) {
    await delay(30);
    yield { event: 'delta', data: { text } };
  }
  yield { event: 'done', data: invocation };
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

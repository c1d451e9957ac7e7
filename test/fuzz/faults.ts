/** Faults that a service could have: the fuzzer must find each of them. */
import { isObject, type JsonObject, omit } from '../../scripts/lib/json.js';
import { type Answer, answerOf } from './http.js';
import {
  inAnswer,
  inBody,
  inData,
  inItems,
  inRequest,
  refusal,
  type SeededFault,
  withBody,
  withoutHeader,
  withQuery,
} from './tampering.js';

export const seededFaults: SeededFault[] = [
  inData('getAgent', 'leaves out a required field', (data) => omit(data, 'temperature')),
  inItems('listWebhooks', 'shows a field that is not documented', (item) => ({
    ...item,
    secret: 'x',
  })),
  inAnswer('createWebhook', 'answers with another success', (answer) =>
    answer.status === 201 ? { ...answer, status: 200 } : answer,
  ),
  inData('clearMemory', 'writes a number as a string', ({ cleared }) => ({
    cleared: String(cleared),
  })),
  inAnswer('revokeApiKey', 'leaves out X-Request-Id', (answer) =>
    withoutHeader(answer, 'x-request-id'),
  ),
  inAnswer('deleteWebhook', 'leaves out X-RateLimit-Remaining', (answer) =>
    withoutHeader(answer, 'x-ratelimit-remaining'),
  ),
  inAnswer('deleteAgent', 'answers as text', (answer) => ({
    ...answer,
    headers: { ...answer.headers, 'content-type': 'text/plain' },
  })),
  inItems('listAgents', 'writes a time with an offset', (item) => ({
    ...item,
    created_at: String(item['created_at']).replace('Z', '+00:00'),
  })),
  inItems('listDeployments', 'has a status that no enum knows', (item) => ({
    ...item,
    status: 'paused',
  })),
  inBody('listDeployments', 'turns a page around', (body) => ({
    ...body,
    data: (body['data'] as unknown[]).toReversed(),
  })),
  inBody('listApiKeys', 'counts one too many', (body) => {
    const pagination = body['pagination'] as JsonObject;
    return {
      ...body,
      pagination: { ...pagination, total: Number(pagination['total']) + 1, has_more: true },
    };
  }),
  inRequest('listAgents', 'passes over one item too many', (request) =>
    withQuery(request, 'offset', (offset) => String(Number(offset) + 1)),
  ),
  inRequest('listWebhooks', 'ignores a filter', (request) =>
    withQuery(request, 'event', () => undefined),
  ),
  inRequest('listApiKeys', 'ignores the order', (request) =>
    withQuery(request, 'sort', () => undefined),
  ),
  inRequest('getLogs', 'takes a limit that is too large', (request) =>
    withQuery(request, 'limit', (limit) => (Number(limit) > 1000 ? '1000' : limit)),
  ),
  inRequest('getMetrics', 'takes a value of an enum in capitals', (request) =>
    withQuery(request, 'metric', (metric) => metric.toLowerCase()),
  ),
  inRequest('updateAgent', 'takes fields that it does not know', (request) =>
    withBody(
      request,
      ({ model, temperature }) => JSON.parse(JSON.stringify({ model, temperature })) as JsonObject,
    ),
  ),
  inRequest('createApiKey', 'cuts a name that is too long', (request) =>
    withBody(request, (body) =>
      typeof body['name'] === 'string'
        ? { ...body, name: Array.from(body['name']).slice(0, 100).join('') }
        : body,
    ),
  ),
  inAnswer('createApiKey', 'counts UTF-16 code units', (answer, { body }) => {
    const name = isObject(body) ? body['name'] : undefined;
    if (typeof name !== 'string' || name.length <= 100 || answer.status !== 201) return answer;
    return refusal(answer, 400, 'invalid_request', 'name');
  }),
  inAnswer('createApiKey', 'blames another field', (answer) =>
    answer.status === 400 ? refusal(answer, 400, 'invalid_request', 'body') : answer,
  ),
  inAnswer('rollbackDeployment', 'says 404 for a conflict', (answer) =>
    answer.status === 409 ? { ...answer, status: 404 } : answer,
  ),
  inData('createDeployment', 'freezes another configuration', (data) => ({
    ...data,
    temperature: 0.123,
  })),
  inAnswer('createDeployment', 'replays another answer', (answer) =>
    answer.headers['idempotency-replayed'] === 'true'
      ? answerOf(answer.status, answer.headers, answer.text.replace('"dep_0', '"dep_1'))
      : answer,
  ),
  inAnswer('invokeAgent', 'cuts a stream off', (answer) => ({
    ...answer,
    text: answer.text.split('event: done')[0] ?? '',
  })),
  inRequest('searchMemory', 'searches all users', (request) =>
    withBody(request, (body) => omit(body, 'filter')),
  ),
  inRequest('updateAgent', 'forgets what it was told', (request) =>
    withBody(request, ({ model, ...others }) => ({
      model: model ?? 'builtin/echo',
      ...omit(others, 'temperature'),
    })),
  ),
  {
    name: 'shows an agent that was deleted',
    operationId: 'getAgent',
    tamper: (next) => {
      const seen = new Map<string, Answer>();
      return async (request) => {
        const answer = await next(request);
        if (request.operation.operationId !== 'getAgent') return answer;
        if (answer.status === 200) seen.set(request.target, answer);
        return answer.status === 404 ? (seen.get(request.target) ?? answer) : answer;
      };
    },
  },
  {
    name: 'runs again with another body under the same Idempotency-Key',
    operationId: 'createWebhook',
    tamper: (next) => async (request) => {
      const answer = await next(request);
      const isMismatch = answer.status === 422 && request.operation.operationId === 'createWebhook';
      return isMismatch
        ? next({
            ...request,
            headers: omit(request.headers, 'Idempotency-Key') as Answer['headers'],
          })
        : answer;
    },
  },
  {
    name: 'lets in who has no right to',
    operationId: 'listAgents',
    tamper: (next) => {
      let good = '';
      return async (request) => {
        const answer = await next(request);
        if (answer.status < 300) good ||= request.key;
        const isShut = answer.status === 401 && request.operation.operationId === 'listAgents';
        return isShut ? next({ ...request, key: good }) : answer;
      };
    },
  },
];

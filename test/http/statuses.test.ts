/** Every error status that the contract documents is provoked on every operation that documents it. */
import { describe, expect, test } from '@jest/globals';
import type { ErrorResponse } from '../../generated/api.js';
import { errorStatus, type OperationId, type Route } from '../../generated/operations.js';
import { routes } from '../../server/http/routes.js';
import { everyPermission } from '../../server/contract/permissions.js';
import { createMemoryBuckets } from '../../server/lib/async/token-bucket.js';
import { StoreUnavailable } from '../../server/postgres/errors.js';
import { type Answered, apiClient } from '../helpers/service/api.js';
import { useFixture } from '../helpers/service/fixture.js';
import { type FakeOperation, usePipeline } from '../helpers/service/pipeline.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { createResources, validCall } from '../helpers/service/valid-call.js';

/** Statuses that the tests of the operations cover, in test/operations. */
const coveredElsewhere = new Map([
  [200, 'each success is tested with its operation'],
  [201, 'each success is tested with its operation'],
  [202, 'only an asynchronous invocation is accepted'],
  [502, 'needs a model that fails'],
  [504, 'needs a model that is too slow'],
]);

const service = useService();
const tenant = useTenant(service);
const names = useFixture(() => createResources(service, tenant));

/** The behaviour of the fake operation behind the pipeline. */
let act: FakeOperation = () => Promise.reject(new Error('No behaviour is set.'));
const plenty = createMemoryBuckets();
let buckets = plenty;

const pipeline = usePipeline(service, (input, context) => act(input, context), {
  rateBuckets: { take: (...request) => buckets.take(...request) },
});

type Case = (route: Route) => Promise<Answered<unknown>>;

const cases: Record<number, Case | undefined> = {
  400: (route) => {
    const call = validCall(route, names);
    return tenant.api.call(route.operationId, { ...call, query: { ...call.query, unknown: 1 } });
  },
  401: (route) => service.api().call(route.operationId, validCall(route, names)),
  403: async (route) => {
    const permissions = everyPermission.filter((permission) => permission !== route.permission);
    const { key } = await tenant.newKey({ permissions });
    return service.api(key).call(route.operationId, validCall(route, names));
  },
  404: (route) => tenant.api.call(route.operationId, validCall(route)),
  405: async (route) => {
    const put = apiClient(service.url, undefined, (address, init) =>
      fetch(address, { ...init, method: 'PUT' }),
    );
    const answer = await put.call(route.operationId);
    expect(answer.headers.get('allow')?.split(', ')).toContain(route.method.toUpperCase());
    return answer;
  },
  409: (route) => repeatWhileRunning(route, (body) => body),
  413: (route) =>
    tenant.api.call(route.operationId, {
      ...validCall(route, names),
      body: { filler: 'x'.repeat(1024 * 1024) },
    }),
  415: (route) =>
    tenant.api.call(route.operationId, {
      ...validCall(route, names),
      headers: { 'content-type': 'text/plain' },
    }),
  422: (route) => repeatWhileRunning(route, (body) => anotherBody(route.operationId, body)),
  429: async (route) => {
    const noon = Date.UTC(2026, 0, 1, 12);
    const drained = createMemoryBuckets({ now: () => noon });
    buckets = {
      take: (id, limit) => {
        while (drained.take(id, limit).allowed);
        return drained.take(id, limit);
      },
    };
    const answer = await pipeline.api.call(route.operationId, validCall(route));
    buckets = plenty;
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
    return answer;
  },
  500: (route) => failingWith(route, new Error(innerText(route))),
  503: (route) => failingWith(route, new StoreUnavailable(innerText(route))),
};

describe.each(routes)('$operationId', (route) => {
  const documented = route.statuses.filter((status) => !coveredElsewhere.has(status));

  test('documents no status that is not provoked here', () => {
    expect(documented.filter((status) => cases[status] === undefined)).toEqual([]);
  });

  test.each(documented.filter((status) => cases[status] !== undefined))('%s', async (status) => {
    const answer = await cases[status]?.(route);
    expect(answer?.status).toBe(status);
    // The contract check has validated that it is an error.
    const { error } = (answer?.body ?? {}) as ErrorResponse;
    expect(errorStatus[error.code]).toBe(status);
    const retryAfter = answer?.headers.get('retry-after') ?? null;
    expect(retryAfter).toBe(error.retry_after === undefined ? null : String(error.retry_after));
    const isAuthenticated = ![401, 405].includes(status);
    for (const name of ['limit', 'remaining', 'reset']) {
      expect(answer?.headers.has(`x-ratelimit-${name}`)).toBe(isAuthenticated);
    }
    if ([429, 503].includes(status)) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
  });
});

test('every operation is implemented: none responds with 501', async () => {
  const missing: OperationId[] = [];
  for (const route of routes) {
    const call = validCall(route, await createResources(service, tenant));
    const { status } = await tenant.api.call(route.operationId, call);
    if (status === 501) missing.push(route.operationId);
  }
  expect(missing).toEqual([]);
});

/** The response to a repeat with the same Idempotency-Key while the first request is inside its operation. */
async function repeatWhileRunning(
  route: Route,
  change: (body: unknown) => unknown,
): Promise<Answered<unknown>> {
  const { body, ...call } = validCall(route);
  const keyed = { ...call, headers: { 'idempotency-key': crypto.randomUUID() } };
  let finish: () => void = () => undefined;
  const inside = new Promise<void>((resolve) => {
    act = async () => {
      resolve();
      await new Promise<void>((release) => {
        finish = release;
      });
      throw new Error('The test only waits for this call.');
    };
  });
  const first = pipeline.api.call(route.operationId, withBody(keyed, body));
  await inside;
  const repeat = await pipeline.api.call(route.operationId, withBody(keyed, change(body)));
  finish();
  expect((await first).status).toBe(500);
  return repeat;
}

/** Another valid body. */
function anotherBody(operationId: OperationId, body: unknown): unknown {
  const changes: Partial<Record<OperationId, object>> = {
    invokeAgent: { message: 'Another message' },
    createDeployment: { version: 'another' },
    createWebhook: { url: 'https://hooks.acme.example/another' },
    createApiKey: { name: 'Another name' },
  };
  const change = changes[operationId];
  if (!change) throw new Error(`Add another valid body for ${operationId}.`);
  return { ...(body as object), ...change };
}

function withBody<Call extends object>(call: Call, body: unknown): Call & { body?: unknown } {
  return body === undefined ? call : { ...call, body };
}

/** A line of its own for each operation: the log thins out those that repeat. */
const innerText = ({ operationId }: Route) => `the inner text of ${operationId}`;

/** The response when the operation fails like this; the cause is in the log and not in the response. */
async function failingWith(route: Route, fault: Error): Promise<Answered<unknown>> {
  act = () => Promise.reject(fault);
  const answer = await pipeline.api.call(route.operationId, validCall(route));
  const written = JSON.stringify([answer.body, ...answer.headers]);
  expect(written).not.toContain('inner');
  const line = pipeline.log.find(
    (entry) =>
      entry.includes(innerText(route)) &&
      entry.includes(String(answer.headers.get('x-request-id'))),
  );
  expect(line).toBeDefined();
  return answer;
}
